// Random histories of checkouts: payments, events that come twice, late, in any order or not at all, several servers, crashes between any
// two steps. Whatever happens, nothing is paid without a verified event, nothing that was paid is lost, the ledger adds up, and no more
// is sold than there is.

import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { anyStep, createWorld, type Database, passLimit, type World } from '../support/commerce-world.ts'
import { usePostgres, useSqlite } from '../support/store.ts'
import { deep } from '../support/test-mode.ts'

const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

/** What may differ while events are still under way. */
const underWay = [
  ...['event_missing', 'refund_differs', 'dispute_differs', 'renewal_missing', 'subscription_ended', 'subscription_runs'],
  ...['unlinked_event', 'none_left', 'bought_twice', 'account_deleted'],
]

/** What the operator has to refund. */
const owedKinds = ['none_left', 'bought_twice', 'account_deleted']

const booksOf = async ({ at, checkouts }: World) => {
  const all = await Promise.all(checkouts.map(({ id }) => at(0).store.settlements.books(id)))
  return all.flatMap((books) => (books === null ? [] : [books]))
}

/** All entries of an account. */
const ledgerOf = async ({ at }: World, accountId: string) => {
  const { balance, items, has_more } = await at(1).shop.credits.page(accountId, { limit: 100 })
  expect(has_more).toBe(false)
  return { balance, sum: items.reduce((sum, { amount }) => sum + amount, 0) }
}

const requireSound = async (world: World): Promise<void> => {
  const { at, local, confirmed, buyers, spent } = world
  const emitted = new Map(local.events.map(({ id, event }) => [id, event]))
  const books = await booksOf(world)
  for (const { checkout, events } of books) {
    const paid = events.filter(({ kind }) => kind === 'paid')
    for (const { id } of events) expect(emitted.has(id)).toBe(true)
    expect(checkout.status === 'completed').toBe(paid.length > 0)
    expect(checkout.payment_status === 'unpaid').toBe(paid.length === 0)
  }
  const stored = new Set(books.flatMap(({ events }) => events.map(({ id }) => id)))
  for (const id of confirmed) {
    const event = emitted.get(id)
    if (event?.kind === 'paid') expect(stored.has(id)).toBe(true)
  }
  for (const { accountId } of buyers) {
    const { balance, sum } = await ledgerOf(world, accountId)
    const bought = books.filter(({ checkout }) => checkout.account_id === accountId).reduce((total, { credits }) => total + credits, 0)
    const used = spent.filter((one) => one.accountId === accountId && !one.back).length
    expect(balance).toBe(sum)
    expect(balance).toBe(bought - used)
  }
  const holders = books.filter(({ entitlement, checkout }) => entitlement !== null && checkout.offer_id === 'founding_pass')
  expect(holders.length).toBeLessThanOrEqual(passLimit)
  expect(await at(0).store.settlements.countHeld('founding_pass')).toBeLessThanOrEqual(passLimit)
  const kinds = (await at(1).shop.check()).map(({ kind }) => kind)
  expect(kinds.filter((kind) => !underWay.includes(kind))).toEqual([])
}

/** What the provider itself says that was bought, once all its events were delivered. */
const requireDelivered = async (world: World): Promise<void> => {
  const { local, at } = world
  for (const delivery of local.events) await world.confirm(at(0).shop, delivery)
  await at(1).shop.sweep() // subscriptions of deleted accounts end, which the provider reports
  for (const delivery of local.events) await world.confirm(at(0).shop, delivery)
  await requireSound(world)
  const books = await booksOf(world)
  const differences = await at(0).shop.check()
  expect(differences.filter(({ kind }) => !owedKinds.includes(kind))).toEqual([])
  const lost = new Set(
    local.events.flatMap(({ event }) => (event.kind === 'dispute_closed' && event.outcome === 'lost' ? [event.payment] : [])),
  )
  for (const payment of local.payments.values()) {
    const { checkout, credits, entitlement } = books.find((one) => one.checkout.id === payment.checkoutId) as (typeof books)[number]
    expect(checkout.status).toBe('completed')
    const isKept = payment.refunded < payment.amount && !lost.has(payment.payment)
    const owed = differences.some(({ reference }) => reference === payment.payment)
    if (checkout.offer_kind === 'pack') {
      expect(credits).toBe(isKept ? Math.floor((checkout.credits * (payment.amount - payment.refunded)) / payment.amount) : 0)
    } else if (checkout.interval === 'once') expect(isKept).toBe(owed || entitlement !== null)
    else if (isKept) expect(entitlement).not.toBeNull()
  }
}

const run = async (database: Database, steps: readonly (typeof anyStep extends fc.Arbitrary<infer Step> ? Step : never)[]) => {
  const world = await createWorld(database, () => cutConnections(database))
  try {
    for (const [index, step] of steps.entries()) {
      await world.perform(step)
      if (index % 10 === 9) await requireSound(world)
    }
    await requireSound(world)
    await requireDelivered(world)
  } finally {
    await world.close()
  }
}

/** Ends what the database is doing for others, in the middle of it. In SQLite, closing the file does. */
const cutConnections = async ({ databaseUrl }: Database): Promise<void> => {
  if (databaseUrl === undefined) return
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

describe.each([
  ['SQLite', newSqlite, deep ? 400 : 12],
  ['PostgreSQL', newPostgres, deep ? 200 : 6],
] as const)('any history on %s', (_name, newDatabase, numRuns) => {
  it('leaves books that add up', { timeout: deep ? 3_600_000 : 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 80, size: 'max' }), async (steps) => run(await newDatabase(), steps)),
      { numRuns, interruptAfterTimeLimit: deep ? 3_000_000 : 240_000 },
    )
  })
})
