// PostgreSQL only: the database server is restarted.

import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createId } from '../src/ids.ts'
import { account, ample, now, sandbox, usePostgres, useStores } from './support/store.ts'

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

  it('claims no warm sandbox that is being evicted, but the next one', async () => {
    const database = await newPostgres()
    const store = await open(database)
    const { id } = await account(store, 'ada')
    const warm = [1, 2].map((second) => sandbox(null, { pool_state: 'warming', created_at: `2026-01-02T03:04:0${second}.000Z` }))
    for (const row of warm) {
      await store.slots.reserveWarm(row, 10, 2)
      await store.slots.markWarm(row.id, '{}')
    }
    const other = new Client(database.databaseUrl)
    await other.connect()
    try {
      await other.query('begin')
      await other.query("update sandbox set status = 'terminated', termination_reason = 'evicted', ended_at = created_at where id = $1", [
        warm[0]?.id,
      ])
      const reserving = store.slots.reserve(sandbox(id), ample)
      const waits = async () => (await other.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rowCount
      await expect.poll(waits, { interval: 10 }).toBe(1)
      await other.query('commit')
      expect(await reserving).toMatchObject({ outcome: 'reserved', slot: { row: { id: warm[1]?.id }, evicted: null } })
      expect(await store.sandboxes.find(warm[0]?.id ?? '')).toMatchObject({ status: 'terminated', account_id: null })
    } finally {
      await other.end()
    }
  })

  it('starts no job that is being cancelled, but the next one', async () => {
    const database = await newPostgres()
    const store = await open(database)
    const { id } = await account(store, 'ada')
    const jobs = [createId(), createId()]
    for (const job of jobs) {
      const queued = { id: job, account_id: id, course_id: 'scenario-01', seed: 's', may_be_warm: 1, longest_minutes: null }
      const reservation = await store.slots.reserve(
        sandbox(id),
        { ...ample, total: 0, queue: 9 },
        { job: { ...queued, request_id: null, batch_id: null, created_at: now } },
      )
      expect(reservation.outcome).toBe('queued')
    }
    const other = new Client(database.databaseUrl)
    await other.connect()
    try {
      await other.query('begin')
      await other.query('update job set cancelled_at = created_at where id = $1', [jobs[0]])
      const taking = store.slots.takeQueued(10, () => sandbox(id))
      const waits = async () => (await other.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rowCount
      await expect.poll(waits, { interval: 10 }).toBe(1)
      await other.query('commit')
      expect(await taking).toMatchObject({ job: { id: jobs[1] } })
      expect(await store.jobs.find(jobs[0] ?? '')).toMatchObject({ sandbox_id: null })
    } finally {
      await other.end()
    }
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
