import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEnteredLab } from '../../../test/support/entered-lab.ts'
import { ample, sandbox } from '../../../test/support/store.ts'
import { createId } from '../../ids.ts'
import { createVisitors } from './visitors.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-visitors-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const address = '192.0.2.77'
const start = { caller: { kind: 'anonymous', address }, course: 'scenario-01' } as const

/** Visitors of whom each network may have so many sandboxes; starts take a slot and build nothing. */
const open = async (most: number) => {
  const file = join(folder, `${createId()}.sqlite`)
  const { store, row, clock, tickets } = await openEnteredLab({ file })
  const { created_at, expires_at, deadline } = row
  const startAtOnce = async () => {
    const wanted = sandbox(null, { address, created_at, expires_at, deadline })
    const { outcome } = await store.slots.reserve(wanted, { ...ample, own: most })
    if (outcome !== 'reserved') throw new Error(outcome)
    return wanted
  }
  const discard = async ({ id }: { readonly id: string }) => {
    await store.sandboxes.markTerminated(id, 'stopped', created_at)
  }
  const { labAccess, sandboxes } = store
  const visitors = createVisitors({ store: labAccess, sandboxes, starts: { startAtOnce }, discard, tickets, clock })
  const database = new DatabaseSync(file)
  return {
    start: (cookie: string | null) => visitors.start(start.caller, start.course, cookie),
    list: visitors.list,
    refuseInserts: () => database.exec(`create trigger refuse before insert on lab_access begin select raise(abort, 'refused'); end`),
    allowInserts: () => database.exec('drop trigger refuse'),
  }
}

it('a start that cannot be noted leaves no sandbox that nobody can enter or stop', async () => {
  const { start, list, refuseInserts, allowInserts } = await open(1)
  refuseInserts()
  await expect(start(null)).rejects.toThrow(/refused/)
  allowInserts()
  const { lab, cookie } = await start(null)
  expect(await list(cookie)).toMatchObject([{ id: lab.id }])
})

it('a start that cannot be noted leaves the cookie as it was, which finds the others', async () => {
  const { start, list, refuseInserts, allowInserts } = await open(3)
  const { lab, cookie } = await start(null)
  refuseInserts()
  await expect(start(cookie)).rejects.toThrow(/refused/)
  expect(await list(cookie)).toMatchObject([{ id: lab.id }])
  allowInserts()
  const second = await start(cookie)
  expect((await list(second.cookie)).map(({ id }) => id).sort()).toEqual([lab.id, second.lab.id].sort())
  expect(await list(cookie), 'every start changes it').toEqual([])
})
