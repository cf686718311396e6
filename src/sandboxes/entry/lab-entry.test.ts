import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEnteredLab, ticketMinutes } from '../../../test/support/entered-lab.ts'
import type { LabHolder } from '../../accounts/caller.ts'
import type { LabAccess } from '../../contract/lab-access.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-entry-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A lab whose database is looked into from beside. */
const open = async (labGuests?: number) => {
  const file = join(folder, `${Math.random()}.sqlite`)
  const lab = await openEnteredLab({ file, ...(labGuests === undefined ? {} : { labGuests }) })
  const database = new DatabaseSync(file)
  const numberIn = (query: string) => Object.values(database.prepare(query).get() ?? {})[0] as number
  const holderOf = async ({ token }: LabAccess) => (await lab.labEntry.byToken(token, '192.0.2.7')).found as LabHolder
  return {
    ...lab,
    rows: () => numberIn('select count(*) from lab_access'),
    /** Changes with each write of somebody else. */
    version: () => numberIn('pragma data_version'),
    /** What a connection of it does at every heartbeat. */
    beat: async (access: LabAccess) => lab.labEntry.isStillIn(access.token, await holderOf(access)),
  }
}

describe('rows of those who entered', () => {
  it('are few once their tickets are too old to be used again, however many entered', async () => {
    const { enter, invite, labEntry, pass, rows, clock, tickets, row } = await open()
    const { admit } = await invite('watcher')
    const used = tickets.sign(row.id)
    await labEntry.redeem(used)
    for (let index = 0; index < 200; index += 1) {
      await enter()
      if (index % 10 === 0) pass(46) // those before have left
      if (index % 2 === 0) await admit()
    }
    await labEntry.purge()
    await expect(labEntry.redeem(used), 'a used ticket stays used').rejects.toMatchObject({ code: 'unauthorized' })
    pass(ticketMinutes * 60 + 120)
    await labEntry.purge()
    expect(rows()).toBeLessThanOrEqual(50 + 20)
    expect(tickets.open(used)).toBeNull()
    expect(clock.now().toISOString() < row.deadline).toBe(true)
  })
})

describe('heartbeats', () => {
  it('of ten connections of one guest write once', async () => {
    const { invite, pass, beat, version } = await open()
    const guest = await (await invite('watcher')).admit()
    for (let heartbeat = 0; heartbeat < 3; heartbeat += 1) {
      pass(10)
      let writes = 0
      for (let connection = 0; connection < 10; connection += 1) {
        pass(0.5)
        const before = version()
        expect(await beat(guest)).toBe(true)
        if (version() !== before) writes += 1
      }
      expect(writes).toBe(1)
    }
  })

  it('keep a guest in the lab, and without them it has left', async () => {
    const { invite, pass, beat, invitations, row } = await open()
    const guest = await (await invite('watcher')).admit()
    const guests = async () => (await invitations.list(row))[0]?.guests
    for (let heartbeat = 0; heartbeat < 8; heartbeat += 1) {
      expect(await beat(guest)).toBe(true)
      pass(15)
      expect(await guests()).toBe(1)
    }
    pass(31)
    expect(await guests()).toBe(0)
  })
})
