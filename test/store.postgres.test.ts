// PostgreSQL only: the database server is restarted.

import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { account, ample, sandbox, usePostgres, useStores } from './support/store.ts'

const { open } = useStores()
const { newPostgres, restart } = usePostgres()

describe('PostgreSQL only', () => {
  it('outlives a restart of the server between queries', async () => {
    const store = await open(await newPostgres())
    const { id } = await account(store, 'ada')
    await Promise.all(Array.from({ length: 20 }, () => store.ping()))
    await restart()
    expect((await store.slots.reserve(sandbox(id), ample)).outcome).toBe('reserved')
    await Promise.all(Array.from({ length: 20 }, () => store.ping()))
    expect(await store.slots.countClaimed()).toBe(1)
  })

  it('outlives one in the middle of transactions: only what was asked meanwhile fails', async () => {
    const store = await open(await newPostgres())
    const { id } = await account(store, 'ada')
    let over = false
    const ask = async () => {
      for (; !over; await delay(1)) await store.slots.reserve(sandbox(id), { ...ample, own: 0 }).catch(() => undefined)
    }
    const asking = Array.from({ length: 10 }, ask)
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await delay(100)
      await restart(signal)
    }
    over = true
    await Promise.all(asking)
    expect((await store.slots.reserve(sandbox(id), ample)).outcome).toBe('reserved')
  })
})
