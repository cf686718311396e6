import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEnteredLab, ticketMinutes } from '../../../test/support/entered-lab.ts'
import type { LabHolder } from '../../accounts/caller.ts'
import type { LabAccess } from '../../contract/lab-access.ts'
import { createRateLimit } from '../../rate-limit.ts'

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
  const holderOf = async ({ token }: LabAccess) => (await lab.labEntry.byToken(token, '192.0.2.7')).found
  return {
    ...lab,
    rows: () => numberIn('select count(*) from lab_access'),
    /** Changes with each write of somebody else. */
    version: () => numberIn('pragma data_version'),
    /** What a connection of it does at every heartbeat. */
    beat: async (access: LabAccess) => {
      const holder = await holderOf(access)
      return holder !== null && lab.labEntry.isStillIn(access.token, holder)
    },
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

describe('the places for guests', () => {
  const full = { code: 'too_many_connections' }

  it('are kept for ten seconds for somebody who has not connected, and are given to others then', async () => {
    const { invite, pass, beat } = await open(20)
    const [one, other] = [await invite('watcher'), await invite('partner')]
    const admitted: LabAccess[] = []
    for (let index = 0; index < 20; index += 1) admitted.push(await one.admit())
    await expect(other.admit()).rejects.toMatchObject(full)
    pass(9)
    await expect(other.admit()).rejects.toMatchObject(full)
    pass(2)
    const guest = await other.admit()
    expect(await beat(guest)).toBe(true)
    expect(guest.role).toBe('partner')
  })

  it('are not kept by using one ticket after the other', async () => {
    const { invite, pass, labEntry } = await open(3)
    const [one, other] = [await invite('watcher'), await invite('watcher')]
    const admitted = [await one.admit(), await one.admit(), await one.admit()]
    pass(9)
    for (const { ticket } of admitted) await labEntry.redeem(ticket)
    pass(2)
    expect((await other.admit()).role).toBe('watcher')
  })

  it('belong to whoever is connected, also through a reload', async () => {
    const { invite, pass, beat, labEntry } = await open(2)
    const { admit } = await invite('watcher')
    let [first, second] = [await admit(), await admit()]
    pass(1)
    for (const guest of [first, second]) expect(await beat(guest)).toBe(true)
    for (let heartbeat = 0; heartbeat < 4; heartbeat += 1) {
      pass(14)
      await expect(admit()).rejects.toMatchObject(full)
      pass(1)
      ;[first, second] = [await labEntry.redeem(first.ticket), await labEntry.redeem(second.ticket)]
      for (const guest of [first, second]) expect(await beat(guest)).toBe(true)
    }
    pass(46)
    await admit()
    expect((await Promise.all([first, second].map(beat))).filter(Boolean), 'there are never more than may be in').toHaveLength(1)
  })

  it('are counted for by themselves: no guest uses up the requests of another, and another token of the same guest gives no more', async () => {
    const { invite, labEntry, pass } = await open(3)
    const rate = { read: 10, write: 10, start: 10, exec: 10, auth: 10 }
    const { take } = createRateLimit({ rates: { anonymous: rate, account: rate }, scale: 1, now: () => 0 })
    const drain = (holder: LabHolder) => {
      let taken = 0
      while (take(holder, 'read').allowed) taken += 1
      return taken
    }
    const holderOf = async ({ token }: LabAccess) => (await labEntry.byToken(token, '192.0.2.7')).found as LabHolder
    const { admit } = await invite('watcher')
    const [greedy, fellow] = [await admit(), await admit()]
    expect([drain(await holderOf(greedy)), drain(await holderOf(fellow))]).toEqual([10, 10])
    let taken = 0
    for (let round = 0; round < 12; round += 1) {
      pass(11)
      taken += drain(await holderOf(await admit()))
    }
    expect(taken, 'one place had not been used').toBe(10)
    expect(drain(await holderOf(await labEntry.redeem((await admit()).ticket)))).toBe(0)
  })
})
