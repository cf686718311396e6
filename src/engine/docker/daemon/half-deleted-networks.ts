// A daemon that is killed while it deletes a network leaves a record without addresses, and dockerd 20.10 panics over that
// record at every later start (moby issue 45057). Such a record is marked for deletion anyway: told that it was never given
// addresses, the daemon passes over it and then deletes it.

import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'

/** The store's pages carry no sums: a word may be replaced by one of the same length, and by nothing else. */
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
