// Repairs the network store of a daemon that was killed while it deleted a network. The record that is left has no addresses, and
// dockerd 20.10 panics on it at every later start (moby issue 45057). It is already marked for deletion: once the record says
// that it never had addresses, the daemon skips it and then deletes it.

import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'

/** The pages of the store have no checksums, so a word may be replaced by one of the same length. */
const forget = (record: string): string => record.replace(/"ipamV([46])Config"/g, '"ipamV$1Former"')

const isHalfDeleted = (record: string): boolean => record.includes('"inDelete":true') && !record.includes('"ipamV4Info"')

/** The text of a store, one character for each byte, with its half-deleted networks repaired. */
const repairRecords = (store: string): string =>
  store.replace(/\{"addrSpace":".*?"scope":"\w+"\}/gs, (record) => (isHalfDeleted(record) ? forget(record) : record))

/** Only while no daemon runs on this folder. */
export const repairHalfDeletedNetworks = async (dataFolder: string): Promise<void> => {
  for (const file of globSync(`${dataFolder}/{*/,}network/files/local-kv.db`)) {
    const store = await readFile(file, 'latin1')
    const repaired = repairRecords(store)
    if (repaired !== store) await writeFile(file, repaired, { encoding: 'latin1', flag: 'r+' })
  }
}
