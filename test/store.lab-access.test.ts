// Those who entered a lab, and what they asked for, in the store, on SQLite and on a real PostgreSQL.

import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createId } from '../src/ids.ts'
import { newAccess } from '../src/sandboxes/entry/lab-entry.ts'
import type { SandboxRow } from '../src/store/sandboxes.ts'
import type { Store } from '../src/store/store.ts'
import { account, ample, now, openEarlier, sandbox, usePostgres, useSqlite, useStores } from './support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const later = '2026-05-05T00:00:00.000Z'

/** A live sandbox of an account, or of nobody. */
const start = async (store: Store, accountId: string | null = null): Promise<SandboxRow> => {
  const row = sandbox(accountId, { expires_at: later, deadline: later })
  await store.slots.reserve(row, ample)
  return row
}
const invite = async (store: Store, { id: sandbox_id }: SandboxRow) => {
  const row = { id: createId(), sandbox_id, role: 'watcher' as const, hash: createId(), created_at: now, expires_at: later, ended_at: null }
  await store.invitations.insert(row, 10)
  return row
}
const guestOf = (row: SandboxRow, invitation_id: string, extra: object = {}) => ({
  ...newAccess(row, 'watcher', new Date(now)),
  ...{ invitation_id, token_hash: createId() },
  ...extra,
})
const requestOf = (owner: { account_id: string } | { sandbox_id: string }) => ({
  ...{ id: createId(), scope: createId(), account_id: null, sandbox_id: null, body_hash: 'h', node: 'n', boot_id: 'b' },
  ...{ status: null, body: null, body_bytes: 0, sandboxes: '[]', created_at: now },
  ...owner,
})
const answer = { status: 200, body: '12345', bytes: 5, sandboxes: [] }

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('labs on %s', (_name, newDatabase) => {
  it('each guest has a place of its own, however many come at once, and the place of one who has left is given away', async () => {
    const database = await newDatabase()
    const stores = (await Promise.all([open(database), open(database)])) as [Store, Store]
    const row = await start(stores[0])
    const { id } = await invite(stores[0], row)
    const guests = Array.from({ length: 8 }, (_, index) => guestOf(row, id, { last_seen_at: `2026-01-02T03:04:0${index}.000Z` }))
    const limit = { most: 5, seenAfter: later }
    const outcomes = await Promise.all(
      guests.slice(0, 5).map((guest, index) => (stores[index % 2] as Store).invitations.admit(guest, limit)),
    )
    expect(outcomes).toEqual(Array(5).fill('admitted'))
    const placeOf = async ({ token_hash }: { token_hash: string | null }) =>
      (await stores[1].labAccess.findByToken(token_hash ?? '', now))?.place
    const places = await Promise.all(guests.slice(0, 5).map(placeOf))
    expect(places.sort()).toEqual([0, 1, 2, 3, 4])
    const [first] = guests as [ReturnType<typeof guestOf>]
    const freed = await placeOf(first)
    expect(await stores[0].invitations.admit(guests[5] as typeof first, limit)).toBe('admitted')
    expect([await placeOf(first), await placeOf(guests[5] as typeof first)]).toEqual([undefined, freed])
  })

  it('those who lost their access are forgotten, except for a signed ticket that could be used again', async () => {
    const { labAccess, ...store } = await open(await newDatabase())
    const row = await start(store as Store)
    const tabs = Array.from({ length: 3 }, (_, index) => ({
      ...newAccess(row, 'owner', new Date(now)),
      ...{ first_ticket_hash: `ticket ${index}`, token_hash: `token ${index}`, last_seen_at: `2026-01-02T03:04:0${index}.000Z` },
    }))
    for (const tab of tabs) expect(await labAccess.insert(tab)).toBe(true)
    await labAccess.keepNewest(row.id, 1, now)
    await labAccess.purge(now, '2026-01-01T00:00:00.000Z')
    expect(await labAccess.insert({ ...(tabs[0] as (typeof tabs)[0]), id: createId(), token_hash: 'x' })).toBe(false)
    await labAccess.purge(now, now)
    expect(await labAccess.insert({ ...(tabs[0] as (typeof tabs)[0]), id: createId(), token_hash: 'x' })).toBe(true)
    expect(await labAccess.insert({ ...(tabs[2] as (typeof tabs)[0]), id: createId(), token_hash: 'y' })).toBe(false)
  })

  it('answers to those who have tokens of one lab are kept up to its allowance, and go with the lab', async () => {
    const database = await newDatabase()
    const stores = (await Promise.all([open(database), open(database)])) as [Store, Store]
    const [one, other] = [await start(stores[0]), await start(stores[0])]
    const rows = [...Array.from({ length: 12 }, () => requestOf({ sandbox_id: one.id })), requestOf({ sandbox_id: other.id })]
    for (const row of rows) await stores[0].requests.reserve(row)
    await Promise.all(rows.map(({ id }, index) => (stores[index % 2] as Store).requests.finish(id, answer, 24)))
    const read = () => Promise.all(rows.map(async (row) => stores[1].requests.reserve(row)))
    expect((await read()).map((row) => row?.body ?? null).filter((body) => body !== null)).toHaveLength(4 + 1)
    await stores[0].requests.purge('2026-01-01T00:00:00.000Z')
    expect((await read()).map((row) => row?.status)).toEqual(Array(13).fill(200))
    await stores[0].sandboxes.markTerminated(one.id, 'stopped', now)
    await stores[0].requests.purge('2026-01-01T00:00:00.000Z')
    expect((await read()).map((row) => row?.status ?? null)).toEqual([...Array(12).fill(null), 200])
  })

  it('a deleted account takes along what was asked in its labs, and nothing of others', async () => {
    const store = await open(await newDatabase())
    const [ada, eve] = await Promise.all([account(store, 'ada'), account(store, 'eve')])
    const [mine, foreign] = [await start(store, ada.id), await start(store, eve.id)]
    const rows = [requestOf({ account_id: ada.id }), requestOf({ sandbox_id: mine.id }), requestOf({ sandbox_id: foreign.id })]
    for (const row of rows) {
      await store.requests.reserve(row)
      await store.requests.finish(row.id, answer, 100)
    }
    await store.accounts.remove(ada.id, later)
    const left = await Promise.all(rows.map((row) => store.requests.reserve(row)))
    expect(left.map((row) => row?.body ?? null)).toEqual([null, null, '12345'])
  })

  it('a database of before keeps its guests, and the answers to its accounts', async () => {
    const database = await newDatabase()
    const earlier = await openEarlier(database, '0015-reports')
    for (const [id, invitation] of [
      ['owner', null],
      ['guest', 'invitation'],
    ])
      await sql`insert into lab_access (id, sandbox_id, role, invitation_id, token_hash, created_at, last_seen_at, expires_at)
        values (${id}, 's', ${id === 'owner' ? 'owner' : 'watcher'}, ${invitation}, ${id}, ${now}, ${now}, ${later})`.execute(earlier)
    const { sandbox_id, ...request } = requestOf({ account_id: 'ada' })
    await sql`insert into request (id, account_id, scope, body_hash, node, boot_id, status, body, body_bytes, sandboxes, created_at)
      values (${request.id}, 'ada', ${request.scope}, 'h', 'n', 'b', 200, '12345', 5, '[]', ${now})`.execute(earlier)
    await earlier.destroy()
    const store = await open(database)
    const places = await Promise.all(['owner', 'guest'].map(async (hash) => (await store.labAccess.findByToken(hash, now))?.place))
    expect(places).toEqual([null, 0])
    expect(await store.requests.reserve({ ...request, sandbox_id })).toMatchObject({ id: request.id, body: '12345', sandbox_id: null })
  })
})
