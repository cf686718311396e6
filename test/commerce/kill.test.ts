// A server that is killed while it receives events: what was confirmed is there, and what was not can be sent again.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShop, createTestClock, member, pages } from '../support/commerce.ts'
import { root } from '../support/engine.ts'
import { createTestProvider, type Delivery } from '../support/payment-provider.ts'
import { createRandom, seeds } from '../support/random.ts'
import { account, usePostgres, useSqlite, useStores } from '../support/store.ts'
import { deep } from '../support/test-mode.ts'

const { open } = useStores()
const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

const secret = 'secret of the events'

interface Answer {
  readonly ready?: true
  readonly id?: string
  readonly error?: string
}

/** Sends all at once, and kills the process as soon as so many were confirmed. Returns those that were. */
const sendAndKill = async (
  child: ChildProcess,
  deliveries: readonly Delivery[],
  headersOf: (one: Delivery) => object,
  killAfter: number,
) => {
  const confirmed = new Set<string>()
  const errors: string[] = []
  const ended = once(child, 'exit')
  child.on('message', ({ id, error }: Answer) => {
    if (error !== undefined) errors.push(error)
    else if (id !== undefined) confirmed.add(id)
    if (confirmed.size + errors.length >= killAfter) child.kill('SIGKILL')
  })
  for (const delivery of deliveries) {
    child.send({ id: delivery.id, body: delivery.body.toString(), headers: headersOf(delivery) }, () => undefined)
  }
  await ended
  expect(errors).toEqual([])
  return confirmed
}

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
])('a server on %s that is killed', (_name, newDatabase) => {
  it.each(seeds)('loses no event and counts none twice (seed %i)', async (seed) => {
    const random = createRandom(seed)
    const database = await newDatabase()
    const store = await open(database)
    const clock = createTestClock()
    const local = createTestProvider(clock.now, { secret })
    const shop = createShop(store, { clock, provider: local.provider })
    const buyer = member((await account(store, 'ada')).id)
    const refunded = new Set<number>()
    for (let index = 0; index < 30; index += 1) {
      const { id } = await shop.checkouts.create(buyer, { pack_id: 'credits_10' })
      await shop.checkouts.payment(buyer, id, pages)
      const paid = local.pay(id) as Delivery
      if (random.below(3) > 0) continue
      refunded.add(index)
      local.refund((paid.event as { payment: string }).payment)
    }
    let left = random.shuffled(local.events)
    while (left.length > 0) {
      const child = fork(join(root, 'test/support/event-receiver.ts'), [JSON.stringify(database), secret], { execArgv: [] })
      await once(child, 'message')
      const confirmed = await sendAndKill(child, left, local.headersOf, Math.min(left.length, 1 + random.below(deep ? 6 : 15)))
      const stored = await Promise.all((await store.settlements.listIds('', 100)).map((id) => store.settlements.books(id)))
      const linked = new Set(stored.flatMap((books) => books?.events.map(({ id }) => id) ?? []))
      const unlinked = new Set((await store.settlements.listUnlinked()).map(({ id }) => id))
      for (const id of confirmed) expect(linked.has(id) || unlinked.has(id)).toBe(true)
      left = random.shuffled(left.filter(({ id }) => !confirmed.has(id)))
    }
    expect(await shop.check()).toEqual([])
    expect(await shop.credits.balance(buyer.accountId)).toBe(10 * (30 - refunded.size))
  })
})
