// One suite for the store, on SQLite and on a real PostgreSQL.

import { describe, expect, it } from 'vitest'
import { createId } from '../src/ids.ts'
import type { SandboxRow } from '../src/store/sandboxes.ts'
import type { Store } from '../src/store/store.ts'
import { account, ample, now, sandbox, usePostgres, useSqlite, useStores } from './support/store.ts'

const { open, close } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const newJob = (owner: string, id: string = createId()) => ({
  id,
  account_id: owner,
  course_id: 'c',
  seed: 's',
  may_be_warm: 1,
  longest_minutes: null,
  request_id: null,
  batch_id: null,
  created_at: now,
})

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('the store on %s', (_name, newDatabase) => {
  it('keeps its installation id', async () => {
    const database = await newDatabase()
    const first = await open(database)
    expect(first.installation).toMatch(/^[0-9a-z]{16}$/)
    await close()
    expect((await open(database)).installation).toBe(first.installation)
    expect((await open(await newDatabase())).installation).not.toBe(first.installation)
  })

  it('has one installation id when ten open it for the first time', async () => {
    const database = await newDatabase()
    const stores = await Promise.all(Array.from({ length: 10 }, () => open(database)))
    expect(new Set(stores.map(({ installation }) => installation)).size).toBe(1)
  })

  it('never gives away more places than there are, to fifty at once from three servers', async () => {
    const database = await newDatabase()
    const stores = await Promise.all([open(database), open(database), open(database)])
    const accounts = await Promise.all(['a', 'b', 'c'].map((login) => account(stores[0] as Store, login)))
    const attempts = Array.from({ length: 50 }, (_, index) => {
      const owner = accounts[index % 3]?.id ?? ''
      return (stores[index % 3] as Store).slots.reserve(sandbox(owner), { total: 10, anonymous: 100, own: 4, queue: 0 })
    })
    const outcomes = await Promise.all(attempts)
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(10)
    const lists = await Promise.all(accounts.map(({ id }) => (stores[1] as Store).sandboxes.listByAccount(id)))
    expect(Math.max(...lists.map((rows) => rows.length))).toBeLessThanOrEqual(4)
    expect(await (stores[2] as Store).slots.countClaimed()).toBe(10)
  })

  it('distinguishes the account limit from the capacity, and counts live rows only', async () => {
    const store = await open(await newDatabase())
    const [ada, bob] = await Promise.all([account(store, 'ada'), account(store, 'bob')])
    const room = { total: 2, anonymous: 100, own: 1, queue: 0 }
    const first = sandbox(ada.id)
    expect((await store.slots.reserve(first, room)).outcome).toBe('reserved')
    expect((await store.slots.reserve(sandbox(ada.id), room)).outcome).toBe('own_full')
    expect((await store.slots.reserve(sandbox(bob.id), room)).outcome).toBe('reserved')
    expect((await store.slots.reserve(sandbox(bob.id), { total: 2, anonymous: 100, own: 9, queue: 0 })).outcome).toBe('full')
    await store.sandboxes.markTerminated(first.id, 'stopped', now)
    expect((await store.slots.reserve(sandbox(ada.id), room)).outcome).toBe('reserved')
  })

  it('counts anonymous callers by address, and gives them a part of the house only', async () => {
    const store = await open(await newDatabase())
    const stranger = (address: string) => sandbox('', { account_id: null, address })
    const room = { total: 10, anonymous: 2, own: 1, queue: 0 }
    expect((await store.slots.reserve(stranger('192.0.2.1'), room)).outcome).toBe('reserved')
    expect((await store.slots.reserve(stranger('192.0.2.1'), room)).outcome).toBe('own_full')
    expect((await store.slots.reserve(stranger('192.0.2.2'), room)).outcome).toBe('reserved')
    expect((await store.slots.reserve(stranger('192.0.2.3'), room)).outcome).toBe('full')
    expect((await store.slots.reserve(sandbox((await account(store, 'ada')).id), room)).outcome).toBe('reserved')
  })

  it('gives an anonymous sandbox and its evaluations to the first account that asks', async () => {
    const store = await open(await newDatabase())
    const [ada, bob] = await Promise.all([account(store, 'ada'), account(store, 'bob')])
    const row = sandbox('', { account_id: null, address: '192.0.2.1' })
    await store.slots.reserve(row, ample)
    const evaluation = {
      id: createId(),
      sandbox_id: row.id,
      account_id: null,
      course_id: 'c',
      passed: 0,
      score: 40,
      checkpoints: '[]',
      evidence: '[]',
    }
    await store.evaluations.insert({ ...evaluation, hints_used: 0, assisted: 0, started_at: now, duration_ms: 5, request_id: null })
    expect(await store.evaluations.tally(row.id)).toEqual({ count: 1, lastStartedAt: now })
    expect(await store.slots.attribute(row.id, ada.id, 1)).toBe('attributed')
    expect(await store.slots.attribute(row.id, ada.id, 1)).toBe('attributed')
    expect(await store.slots.attribute(row.id, bob.id, 1)).toBe('not_free')
    expect(await store.slots.attribute('none', bob.id, 1)).toBe('not_free')
    expect(await store.sandboxes.find(row.id)).toMatchObject({ account_id: ada.id })
    expect(await store.evaluations.listByAccount(ada.id, { limit: 10 })).toHaveLength(1)
    expect(await store.sandboxes.hasGivenUp(ada.id, row.course_id)).toBe(false)
    for (const at of [now, '2030-01-01T00:00:00.000Z']) await store.sandboxes.giveUp(row.id, at)
    expect(await store.sandboxes.find(row.id)).toMatchObject({ given_up_at: now })
    expect(await store.sandboxes.hasGivenUp(ada.id, row.course_id)).toBe(true)
    expect(await store.sandboxes.hasGivenUp(bob.id, row.course_id)).toBe(false)
    expect(await store.sandboxes.giveHint(row, 2, now)).toBe(true)
    expect(await store.sandboxes.giveHint(row, 0, now)).toBe(false)
    expect(await store.sandboxes.find(row.id)).toMatchObject({ hints_used: 1, hints_given: '[2]', hints_given_at: JSON.stringify([now]) })
  })

  it('counts assigned sandboxes towards the account limit, under concurrency too', async () => {
    const database = await newDatabase()
    const stores = (await Promise.all([open(database), open(database)])) as [Store, Store]
    const ada = await account(stores[0], 'ada')
    const rows = Array.from({ length: 6 }, (_, index) => sandbox('', { account_id: null, address: `192.0.2.${index}` }))
    for (const row of rows) await stores[0].slots.reserve(row, ample)
    const give = () => Promise.all(rows.map(({ id }, index) => (stores[index % 2] as Store).slots.attribute(id, ada.id, 2)))
    expect((await give()).sort()).toEqual(['attributed', 'attributed', 'own_full', 'own_full', 'own_full', 'own_full'])
    expect(await stores[0].sandboxes.listByAccount(ada.id)).toHaveLength(2)
    expect((await stores[0].slots.reserve(sandbox(ada.id), { ...ample, own: 2 })).outcome).toBe('own_full')
  })

  it('completes what runs, once, and ends it all the same', async () => {
    const store = await open(await newDatabase())
    const row = sandbox((await account(store, 'ada')).id)
    await store.slots.reserve(row, ample)
    expect(await store.sandboxes.markCompleted(row.id, now)).toBe(false)
    await store.sandboxes.markRunning(row.id, '{"values":{}}')
    expect(await store.sandboxes.markCompleted(row.id, now)).toBe(true)
    expect(await store.sandboxes.find(row.id)).toMatchObject({ status: 'completed', expires_at: now, baseline: '{"values":{}}' })
    expect(await store.sandboxes.markTerminated(row.id, 'expired', now)).toBe(true)
  })

  it('queues starts in order when there is no slot, and gives each slot away once', async () => {
    const database = await newDatabase()
    const stores = await Promise.all([open(database), open(database), open(database)])
    const [first, second, third] = stores as [Store, Store, Store]
    const { id: owner } = await account(first, 'ada')
    const room = { total: 2, anonymous: 1, own: 100, queue: 4 }
    const job = (row: SandboxRow) => newJob(owner, `job-${row.id}`)
    const rows = Array.from({ length: 7 }, () => sandbox(owner))
    const outcomes = []
    for (const row of rows) outcomes.push((await first.slots.reserve(row, room, { job: job(row) })).outcome)
    expect(outcomes).toEqual(['reserved', 'reserved', 'queued', 'queued', 'queued', 'queued', 'full'])
    const queued = rows.slice(2, 6).map(({ id }) => `job-${id}`)
    const ahead = await Promise.all(queued.map(async (id) => second.jobs.countAhead((await second.jobs.find(id))?.position ?? 0)))
    expect([ahead, await third.slots.countQueued()]).toEqual([[0, 1, 2, 3], 4])
    expect(await second.jobs.cancel(queued[1] as string, now)).toBe(true)
    expect(await second.jobs.cancel(queued[1] as string, now)).toBe(false)

    const take = (store: Store) => store.slots.takeQueued(room.total, (taken) => sandbox(taken.account_id))
    expect(await take(third)).toBeNull()
    for (const row of rows.slice(0, 2)) await first.sandboxes.markTerminated(row.id, 'stopped', now)
    const taken = await Promise.all(stores.flatMap((store) => [take(store), take(store)]))
    const given = taken.filter((entry) => entry !== null)
    expect(given.map((entry) => entry.job.id).sort()).toEqual([queued[0], queued[2]].sort())
    expect((await third.jobs.find(queued[0] as string))?.sandbox_id).toBe(given.find(({ job: { id } }) => id === queued[0])?.slot.row.id)
    expect([await first.slots.countClaimed(), await first.slots.countQueued()]).toEqual([2, 1])
  })

  it('lets no start overtake the queue, and counts queued starts towards their account', async () => {
    const store = await open(await newDatabase())
    const [ada, bob] = await Promise.all([account(store, 'ada'), account(store, 'bob')])
    const room = { total: 1, anonymous: 1, own: 2, queue: 9 }
    const ask = async (owner: string) => (await store.slots.reserve(sandbox(owner), room, { job: newJob(owner) })).outcome
    const held = sandbox(ada.id)
    expect((await store.slots.reserve(held, room)).outcome).toBe('reserved')
    expect([await ask(ada.id), await ask(ada.id), await ask(bob.id)]).toEqual(['queued', 'own_full', 'queued'])
    await store.sandboxes.markTerminated(held.id, 'stopped', now)
    expect((await store.slots.reserve(sandbox(bob.id), room)).outcome).toBe('full')
  })

  it('gives each warm sandbox to one of fifty callers, with new times and its baseline', async () => {
    const database = await newDatabase()
    const stores = await Promise.all([open(database), open(database), open(database)])
    const [first] = stores as [Store, Store, Store]
    const { id: owner } = await account(first, 'ada')
    const warm = Array.from({ length: 4 }, () => sandbox('', { account_id: null, pool_state: 'warming', deadline: '2026-03' }))
    for (const row of warm) {
      expect(await first.slots.reserveWarm(row, 50, 4)).toBe(true)
      expect(await first.slots.markWarm(row.id, '{"healthy":1}')).toBe(true)
    }
    expect(await first.slots.reserveWarm(sandbox('', { account_id: null, pool_state: 'warming' }), 50, 4)).toBe(false)
    expect([await first.slots.countClaimed(), (await first.slots.listUnclaimed()).length, await first.slots.demand('2000')]).toEqual([
      0,
      4,
      new Map(),
    ])
    const room = { total: 20, anonymous: 20, own: 100, queue: 0 }
    const later = { created_at: '2026-02', expires_at: '2026-02-28', deadline: '2026-04' }
    const claims = await Promise.all(
      Array.from({ length: 51 }, (_, index) =>
        (stores[index % 3] as Store).slots.reserve(sandbox(owner, later), room, { warm: index !== 50 }),
      ),
    )
    const slots = claims.flatMap((claim) => (claim.outcome === 'reserved' ? [claim.slot] : []))
    expect(slots).toHaveLength(20)
    const claimed = slots.filter(({ baseline }) => baseline !== null)
    expect(claimed.map(({ row }) => row.id).sort()).toEqual(warm.map(({ id }) => id).sort())
    const mine = await first.sandboxes.find(warm[0]?.id ?? '')
    expect(mine).toMatchObject({
      account_id: owner,
      status: 'running',
      pool_state: null,
      baseline: '{"healthy":1}',
      created_at: '2026-02',
      deadline: '2026-03',
    })
    expect(await first.sandboxes.markStarting(mine?.id ?? '')).toBe(true)
    expect(await first.sandboxes.find(mine?.id ?? '')).toMatchObject({ status: 'starting', baseline: null })
    await first.sandboxes.markTerminated(mine?.id ?? '', 'stopped', now)
    expect(await first.sandboxes.markStarting(mine?.id ?? '')).toBe(false)
    expect(await first.slots.demand('2026-02')).toEqual(new Map([['scenario-01', 20]]))
  })

  it('shows a warm sandbox that a job claims as running only when it was verified', async () => {
    const store = await open(await newDatabase())
    const { id: owner } = await account(store, 'ada')
    const warm = sandbox('', { account_id: null, pool_state: 'warming' })
    expect(await store.slots.reserveWarm(warm, 9, 1)).toBe(true)
    expect(await store.slots.markWarm(warm.id, '{}')).toBe(true)
    const claim = await store.slots.reserve(sandbox(owner), ample, { job: newJob(owner), jobAtOnce: true })
    expect(claim).toMatchObject({ outcome: 'reserved', slot: { row: { id: warm.id, status: 'starting' }, baseline: '{}' } })
    expect(await store.sandboxes.find(warm.id)).toMatchObject({ status: 'starting', baseline: null })
  })

  it('evicts a warm sandbox when its slot is needed, and never one that has an owner', async () => {
    const store = await open(await newDatabase())
    const { id: owner } = await account(store, 'ada')
    const room = { total: 2, anonymous: 2, own: 9, queue: 9 }
    const [ready, being] = [
      sandbox('', { account_id: null, pool_state: 'warming' }),
      sandbox('', { account_id: null, pool_state: 'warming' }),
    ]
    for (const row of [being, ready]) expect(await store.slots.reserveWarm(row, 2, 2)).toBe(true)
    expect(await store.slots.reserveWarm(sandbox('', { account_id: null, pool_state: 'warming' }), 2, 3)).toBe(false)
    await store.slots.markWarm(ready.id, '{}')
    const start = async (extra: Partial<SandboxRow>) => store.slots.reserve(sandbox(owner, extra), room, { job: newJob(owner) })
    expect(await start({ course_id: 'other' })).toMatchObject({ outcome: 'reserved', slot: { baseline: null, evicted: ready.id } })
    expect(await start({ course_id: 'other' })).toMatchObject({ outcome: 'reserved', slot: { baseline: null, evicted: being.id } })
    expect(await start({ course_id: 'other' })).toEqual({ outcome: 'queued' })
    expect(await store.slots.markWarm(being.id, '{}')).toBe(false)
    expect(await store.slots.evict(being.id, now)).toBe(false)
    await store.slots.eraseEvicted(now)
    expect(await store.sandboxes.find(being.id)).not.toBeNull()
    await store.slots.eraseEvicted('9999')
    expect([await store.sandboxes.find(ready.id), await store.sandboxes.find(being.id)]).toEqual([null, null])
    expect(await store.slots.reserveWarm(sandbox('', { account_id: null, pool_state: 'warming' }), 9, 9)).toBe(false)
  })

  it('ends what is past its time, unless it was given more', async () => {
    const store = await open(await newDatabase())
    const row = sandbox((await account(store, 'ada')).id, { expires_at: '2026-02', deadline: '2026-05' })
    await store.slots.reserve(row, ample)
    await store.sandboxes.markRunning(row.id, '{}')
    await store.sandboxes.extend(row.id, '2026-03')
    expect(await store.sandboxes.expire(row.id, '2026-02-15')).toBe(false)
    expect(await store.sandboxes.expire(row.id, '2026-03')).toBe(true)
    expect(await store.sandboxes.expire(row.id, '2026-03')).toBe(false)
  })

  it('erases what was undone, and attaches a job to a start that is under way', async () => {
    const store = await open(await newDatabase())
    const row = sandbox((await account(store, 'ada')).id, { batch_id: 'batch' })
    await store.slots.reserve(row, ample)
    const made = { ...newJob(row.account_id as string), sandbox_id: row.id }
    expect(await store.jobs.attach(made)).toEqual({ ...made, position: 1, cancelled_at: null })
    expect((await store.jobs.attach({ ...made, id: createId() })).position).toBe(2)
    await store.sandboxes.erase(row.id)
    expect([await store.sandboxes.find(row.id), await store.jobs.find(made.id)]).not.toContain(null)
    await store.sandboxes.markTerminated(row.id, 'stopped', now)
    await store.sandboxes.erase(row.id)
    expect([await store.sandboxes.find(row.id), await store.jobs.find(made.id), await store.sandboxes.listByBatch('batch')]).toEqual([
      null,
      null,
      [],
    ])
  })

  it('reserves a request once for a hundred, lets one server adopt it, and forgets it in time', async () => {
    const database = await newDatabase()
    const [one, two] = (await Promise.all([open(database), open(database)])) as [Store, Store]
    const row = () => ({
      id: createId(),
      scope: 'scope',
      body_hash: 'h',
      node: 'n',
      boot_id: 'old',
      status: null,
      body: null,
      body_bytes: 0,
      sandboxes: '[]',
      account_id: 'ada',
      sandbox_id: null,
      created_at: now,
    })
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).requests.reserve(row())))
    expect(outcomes.filter((known) => known === null)).toHaveLength(1)
    const [known] = outcomes.filter((entry) => entry !== null)
    const id = known?.id ?? ''
    const adopted = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).requests.adopt(id, 'old', `new-${index}`)),
    )
    expect(adopted.filter(Boolean)).toHaveLength(1)
    await one.requests.finish(id, { status: 200, body: '{}', bytes: 2, sandboxes: ['s'] }, 2)
    expect(await two.requests.reserve(row())).toMatchObject({ id, status: 200, body: '{}', sandboxes: '["s"]' })
    expect(await two.requests.adopt(id, known?.boot_id ?? '', 'later')).toBe(false)
    await one.requests.purge('9999')
    expect(await two.requests.reserve(row())).toBeNull()
  })

  it('keeps answers of an account up to its allowance, however many come at once, and the answer of a batch in one row', async () => {
    const database = await newDatabase()
    const stores = (await Promise.all([open(database), open(database)])) as [Store, Store]
    const { id: account_id } = await account(stores[0], 'ada')
    const rest = {
      account_id,
      sandbox_id: null,
      body_hash: 'h',
      node: 'n',
      boot_id: 'b',
      status: null,
      body: null,
      body_bytes: 0,
      sandboxes: '[]',
    }
    const rows = Array.from({ length: 12 }, () => ({ id: createId(), scope: createId(), created_at: now, ...rest }))
    for (const row of rows) await stores[0].requests.reserve(row)
    const batch = { id: createId(), request_id: rows[0]?.id ?? '', node: 'n', boot_id: 'b', body: 'the answer', created_at: now }
    await stores[0].batches.open(batch)
    const answer = { status: 200, body: '12345', bytes: 5, sandboxes: [] }
    await Promise.all(rows.map(({ id }, index) => (stores[index % 2] as Store).requests.finish(id, answer, 24)))
    const known = await Promise.all(rows.map((row) => stores[1].requests.reserve(row)))
    expect(known.map((row) => row?.status)).toEqual(Array(12).fill(200))
    expect(known.flatMap((row) => row?.body ?? [])).toEqual(Array(4).fill('12345'))
    expect((await stores[1].batches.findByRequest(batch.request_id))?.body).toBe('')
  })

  it('goes from starting to running to terminated, each once', async () => {
    const store = await open(await newDatabase())
    const { sandboxes, slots } = store
    const { id: owner } = await account(store, 'ada')
    const row = sandbox(owner)
    await slots.reserve(row, ample)
    expect(await sandboxes.find(row.id)).toEqual(row)
    expect(await sandboxes.markRunning(row.id, '{}')).toBe(true)
    expect(await sandboxes.markRunning(row.id, '{}')).toBe(false)
    const ends = await Promise.all(Array.from({ length: 8 }, () => sandboxes.markTerminated(row.id, 'expired', now)))
    expect(ends.filter(Boolean)).toHaveLength(1)
    expect(await sandboxes.markRunning(row.id, '{}')).toBe(false)
    expect(await sandboxes.find(row.id)).toMatchObject({ status: 'terminated', termination_reason: 'expired', ended_at: now })
    expect(await sandboxes.markTerminated('none', 'stopped', now)).toBe(false)
    expect(await sandboxes.find('none')).toBeNull()
    expect([await slots.countClaimed(), await sandboxes.listLive(), await sandboxes.listByAccount(owner)]).toEqual([0, [], []])
  })

  it.each<[string, Partial<SandboxRow>, RegExp]>([
    ['an unknown status', { status: 'paused' as never }, /check|constraint/i],
    ['an unknown reason', { status: 'terminated', ended_at: now, termination_reason: 'bored' as never }, /check|constraint/i],
    ['an end without a reason', { status: 'terminated', ended_at: now }, /sandbox_reason/],
    ['an end without a time', { status: 'terminated', termination_reason: 'failed' }, /sandbox_end/],
    ['a reason without an end', { status: 'running', termination_reason: 'failed' }, /sandbox_reason/],
    ['an unknown account', { account_id: 'none' }, /foreign key/i],
    ['no course', { course_id: null as never }, /null/i],
  ])('refuses a row with %s, and goes on', async (_what, extra, reason) => {
    const store = await open(await newDatabase())
    const { id } = await account(store, 'ada')
    await expect(store.slots.reserve(sandbox(id, extra), ample)).rejects.toThrow(reason)
    expect(await store.slots.countClaimed()).toBe(0)
    expect((await store.slots.reserve(sandbox(id), ample)).outcome).toBe('reserved')
  })

  it('refuses the same sandbox twice, and an unknown role', async () => {
    const store = await open(await newDatabase())
    const row = sandbox((await account(store, 'ada')).id)
    await store.slots.reserve(row, ample)
    await expect(store.slots.reserve(row, ample)).rejects.toThrow(/unique/i)
    const stranger = { id: createId(), name: 'Eve', role: 'root' as never, created_at: now }
    await expect(store.accounts.insert(stranger)).rejects.toThrow(/check|constraint/i)
  })

  it('lists the oldest first, and equals by id', async () => {
    const store = await open(await newDatabase())
    const { sandboxes, slots } = store
    const { id: owner } = await account(store, 'ada')
    const at = (id: string, second: number) => sandbox(owner, { id, created_at: `2026-01-02T03:04:0${second}.000Z` })
    for (const row of [at('c', 2), at('b', 1), at('z', 0), at('a', 2)]) await slots.reserve(row, ample)
    expect((await sandboxes.listByAccount(owner)).map(({ id }) => id)).toEqual(['z', 'b', 'a', 'c'])
    expect((await sandboxes.listLive()).map(({ created_at }) => created_at.slice(18, 19))).toEqual(['0', '1', '2', '2'])
  })
})
