// Credits that starts of sandboxes cost: spent with the slot, and given back when there is no sandbox for them. On SQLite and PostgreSQL.

import { describe, expect, it } from 'vitest'
import { createId } from '../../src/ids.ts'
import { createLog } from '../../src/log.ts'
import { createAccess } from '../../src/sandboxes/access.ts'
import { createSessionIds } from '../../src/sandboxes/session-id.ts'
import { createStartCharges } from '../../src/sandboxes/start/charges.ts'
import type { Store } from '../../src/store/store.ts'
import { createShop, createTestClock, deliver, member, pages } from '../support/commerce.ts'
import { createTestProvider, type Delivery } from '../support/payment-provider.ts'
import { account, ample, now, sandbox, usePostgres, useSqlite, useStores } from '../support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const costly = { costsCredit: true } as const

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('the credit of a start on %s', (_name, newDatabase) => {
  /** Somebody with ten credits. */
  const setUp = async () => {
    const database = await newDatabase()
    const store = await open(database)
    const clock = createTestClock()
    const testProvider = createTestProvider(clock.now)
    const shop = createShop(store, { provider: testProvider.provider, clock })
    const { id } = await account(store, 'ada')
    const checkout = await shop.checkouts.create(member(id), { pack_id: 'credits_10' })
    await shop.checkouts.payment(member(id), checkout.id, pages)
    await deliver(shop, testProvider, testProvider.pay(checkout.id) as Delivery)
    const { settle } = createStartCharges({ store: store.startCharges, clock, log: createLog('silent') })
    return { database, store, id, settle, balance: () => shop.credits.balance(id) }
  }
  const job = (owner: string) => ({
    ...{ id: createId(), account_id: owner, course_id: 'c', seed: 's', may_be_warm: 1, longest_minutes: null },
    ...{ request_id: null, batch_id: null, created_at: now },
  })

  it('is spent with the slot, and stands once the sandbox has run', async () => {
    const { store, id, settle, balance } = await setUp()
    const row = sandbox(id)
    expect((await store.slots.reserve(row, ample, costly)).outcome).toBe('reserved')
    expect(await balance()).toBe(9)
    await settle()
    await store.sandboxes.markRunning(row.id, '{}')
    await settle()
    await store.sandboxes.markTerminated(row.id, 'stopped', now)
    await settle()
    expect([await balance(), await store.startCharges.list()]).toEqual([9, []])
  })

  it('is given back once, by whoever notices it, when the sandbox never ran', async () => {
    const { store, id, settle, balance } = await setUp()
    for (const end of [
      (sandboxId: string) => store.sandboxes.markTerminated(sandboxId, 'failed', now),
      (sandboxId: string) => store.sandboxes.markTerminated(sandboxId, 'stopped', now),
      async (sandboxId: string) => {
        await store.sandboxes.markRunning(sandboxId, '{}')
        await store.sandboxes.markTerminated(sandboxId, 'stopped', now)
        await store.sandboxes.erase(sandboxId) // an atomic batch was undone
      },
    ]) {
      const row = sandbox(id)
      await store.slots.reserve(row, ample, costly)
      expect(await balance()).toBe(9)
      await end(row.id)
      await Promise.all([settle(), settle(), settle()])
      expect([await balance(), await store.startCharges.list()]).toEqual([10, []])
    }
  })

  it('buys nothing that could be used before the batch of the start has ended', async () => {
    const { store, id } = await setUp()
    const sessionIds = createSessionIds('secret')
    const { held } = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds })
    const batch = { id: createId(), request_id: null, node: 'n', boot_id: 'b', body: null, created_at: now }
    await store.batches.open(batch)
    const [row, other] = [sandbox(id, { batch_id: batch.id }), sandbox(id)]
    for (const one of [row, other]) {
      await store.slots.reserve(one, ample, costly)
      await store.sandboxes.markRunning(one.id, '{}')
    }
    expect((await held(member(id), sessionIds.of(other.id))).id).toBe(other.id)
    const refusal = { code: 'sandbox_not_running', message: expect.stringContaining('batch') }
    await expect(held(member(id), sessionIds.of(row.id))).rejects.toMatchObject(refusal)
    await expect(held({ kind: 'anonymous', address: '127.0.0.1' }, sessionIds.of(row.id))).rejects.toMatchObject(refusal)
    await store.batches.commit(batch.id, '')
    expect((await held(member(id), sessionIds.of(row.id))).id).toBe(row.id)
  })

  it('of a queued start is given back when it is cancelled or undone, and follows its sandbox otherwise', async () => {
    const { store, id, settle, balance } = await setUp()
    const full = { ...ample, total: 0, queue: 10 }
    const jobs = [job(id), { ...job(id), batch_id: 'batch' }, job(id)]
    for (const one of jobs) expect((await store.slots.reserve(sandbox(id), full, { ...costly, job: one })).outcome).toBe('queued')
    await settle()
    expect(await balance()).toBe(7)
    await store.jobs.cancel(jobs[0]?.id as string, now)
    await store.jobs.eraseQueuedOfBatch('batch')
    await settle()
    expect(await balance()).toBe(9)
    const taken = await store.slots.takeQueued(10, () => sandbox(id))
    expect(taken?.job.id).toBe(jobs[2]?.id)
    await settle()
    expect(await balance()).toBe(9)
    await store.sandboxes.markTerminated(taken?.slot.row.id as string, 'failed', now)
    await settle()
    expect([await balance(), await store.startCharges.list()]).toEqual([10, []])
  })

  it('is not there twice: fifty starts of three servers at once spend what there is, and no more', async () => {
    const { database, store, id, balance } = await setUp()
    const stores = [store, await open(database), await open(database)]
    const attempts = Array.from({ length: 50 }, (_, index) => (stores[index % 3] as Store).slots.reserve(sandbox(id), ample, costly))
    const outcomes = (await Promise.all(attempts)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(10)
    expect(outcomes.filter((outcome) => outcome === 'no_credit')).toHaveLength(40)
    expect([await balance(), await store.slots.countClaimed()]).toEqual([0, 10])
  })

  it('is not spent when there is no slot, and a start without credit takes none: no slot, no warm sandbox, no eviction', async () => {
    const { store, id, balance } = await setUp()
    expect((await store.slots.reserve(sandbox(id), { ...ample, total: 0 }, costly)).outcome).toBe('full')
    expect((await store.slots.reserve(sandbox(id), { ...ample, own: 0 }, costly)).outcome).toBe('own_full')
    expect(await balance()).toBe(10)
    const eve = (await account(store, 'eve')).id
    const warm = sandbox(null, { pool_state: 'warming' })
    await store.slots.reserveWarm(warm, 10, 1)
    await store.slots.markWarm(warm.id, '{}')
    const other = sandbox(null, { course_id: 'other', pool_state: 'warming' })
    await store.slots.reserveWarm(other, 10, 1)
    expect((await store.slots.reserve(sandbox(eve), { ...ample, total: 2 }, costly)).outcome).toBe('no_credit')
    const third = sandbox(eve, { course_id: 'third' })
    expect((await store.slots.reserve(third, { ...ample, total: 2 }, costly)).outcome).toBe('no_credit')
    expect((await store.slots.listUnclaimed()).map((row) => row.id).sort()).toEqual([warm.id, other.id].sort())
    expect(await store.sandboxes.find(third.id)).toBeNull()
  })

  it('of an account that was deleted is given back to nobody', async () => {
    const { store, id, settle } = await setUp()
    await store.slots.reserve(sandbox(id), ample, costly)
    await store.accounts.remove(id, now)
    await settle()
    expect(await store.startCharges.list()).toEqual([])
  })
})
