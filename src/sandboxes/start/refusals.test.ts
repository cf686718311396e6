import { afterEach, expect, it } from 'vitest'
import { createId } from '../../ids.ts'
import { openStore, type Store } from '../../store/store.ts'
import { newRow } from './new-row.ts'
import { limitReached } from './refusals.ts'

const now = new Date('2026-01-02T03:04:05.000Z')
const life = { now, lifeMinutes: 10, deadlineMinutes: 20 }
let store: Store
afterEach(() => store?.close())

const row = (owner: { account_id: string | null; address: string | null }) => ({
  ...newRow({ id: 'scenario-01', containers: ['ops'] } as never, 'seed', life, { node: 'n', bootId: 'b' }),
  ...owner,
})

it('names the sandboxes and queued starts of an account, and no one else’s', async () => {
  store = await openStore({ databaseUrl: undefined, file: ':memory:', now })
  const [ada, eve] = await Promise.all(
    ['ada', 'eve'].map((login) =>
      store.accounts.findOrCreate(
        { id: createId(), name: login, role: 'member', created_at: now.toISOString() },
        {
          provider: 'github',
          subject: login,
          login,
          email: null,
          avatar_url: null,
          created_at: now.toISOString(),
          last_used_at: now.toISOString(),
        },
      ),
    ),
  )
  const room = { total: 2, anonymous: 2, own: 9, queue: 9 }
  const reserve = async (accountId: string) => {
    const wanted = row({ account_id: accountId, address: null })
    const { id, course_id, seed, created_at } = wanted
    const job = {
      id: `job-${id}`,
      account_id: accountId,
      course_id,
      seed,
      may_be_warm: 1,
      longest_minutes: null,
      request_id: null,
      batch_id: null,
      created_at,
    }
    expect(['reserved', 'queued']).toContain((await store.slots.reserve(wanted, room, { job })).outcome)
    return id
  }
  const own = await reserve(ada?.id ?? '')
  await reserve(eve?.id ?? '')
  const queued = await reserve(ada?.id ?? '')
  await reserve(eve?.id ?? '')

  const caller = { kind: 'account', accountId: ada?.id ?? '', role: 'member' } as const
  const error = await limitReached(caller, 2, { store: store.sandboxes, jobStore: store.jobs })
  expect(error).toMatchObject({ code: 'sandbox_limit_reached', message: 'you may have 2 sandboxes at once, queued starts included' })
  expect(error.retryAfterSeconds).toBeUndefined()
  expect(error.details).toEqual({
    limit: 2,
    sandboxes: [{ id: own, course_id: 'scenario-01', status: 'starting' }],
    jobs: [{ job_id: `job-${queued}`, course_id: 'scenario-01' }],
  })
})

it('tells an anonymous caller nothing of others in its network', async () => {
  store = await openStore({ databaseUrl: undefined, file: ':memory:', now })
  const room = { total: 2, anonymous: 2, own: 1, queue: 0 }
  await store.slots.reserve(row({ account_id: null, address: '192.0.2.1' }), room)
  const error = await limitReached({ kind: 'anonymous', address: '192.0.2.1' }, 1, { store: store.sandboxes, jobStore: store.jobs })
  expect([error.code, error.details, error.retryAfterSeconds]).toEqual(['sandbox_limit_reached', { limit: 1 }, undefined])
})
