import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { openStore } from '../store/store.ts'
import type { Account, LabHolder } from './caller.ts'
import { createIdempotentRequests, type RequestIdentity } from './idempotent-requests.ts'

const limits = { idempotencyHours: 24, keptAccountBytes: 10 }
const kept = (body: string) => ({ body, sandboxes: ['s'] })

const open = async () => {
  const { requests: store } = await openStore({ databaseUrl: undefined, file: ':memory:', now: new Date() })
  const life = (bootId: string) => createIdempotentRequests({ store, clock: systemClock, node: 'here', bootId, limits })
  return { store, life }
}
const ada: Account = { kind: 'account', accountId: 'ada', role: 'member' }
const holder: LabHolder = {
  ...{ kind: 'lab', accessId: 'tab', sandboxId: 'lab', role: 'owner', invitationId: null, place: null },
}
const identity = (key: string, writer: Account | LabHolder = ada): RequestIdentity => ({ writer, method: 'POST', path: '/x', key })
const inProgress = { code: 'idempotency_in_progress' }

describe('an idempotent request', () => {
  it('is in progress as long as its server works on it, and answered from then on', async () => {
    const { life } = await open()
    const requests = life('one')
    const first = await requests.begin(identity('a'), {})
    expect(first).toMatchObject({ state: 'new' })
    await expect(requests.begin(identity('a'), {})).rejects.toMatchObject(inProgress)
    const { id } = first as { id: string }
    await requests.finish(id, 200, kept('{}'))
    expect(await requests.begin(identity('a'), {})).toEqual({ state: 'answered', id, status: 200, answer: kept('{}') })
  })

  it.each([
    ['its account has', ada],
    ['the tokens of its lab have', holder],
  ])('is remembered without its answer when that was not kept, or when %s no room for it', async (_whose, writer) => {
    const requests = (await open()).life('one')
    const bodies = [kept('"12345"'), kept('"123"'), kept('12'), null]
    for (const [index, answer] of bodies.entries()) {
      const { id } = (await requests.begin(identity(`${index}`, writer), {})) as { id: string }
      await requests.finish(id, 200, answer)
    }
    const known = await Promise.all(bodies.map((_, index) => requests.begin(identity(`${index}`, writer), {})))
    expect(known.map((entry) => entry.state === 'answered' && entry.answer)).toEqual([kept('"12345"'), null, kept('12'), null])
  })

  it.each([
    ['an earlier life of its server', 'earlier'],
    ['its own server, which could not write down the end of it', 'one'],
  ])('that was left by %s is taken over, by one of many', async (_, bootId) => {
    const { store, life } = await open()
    const left = (await life(bootId).begin(identity('a'), {})) as { id: string }
    const requests = life('one')
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => requests.begin(identity('a'), {})))
    const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(taken).toEqual([{ state: 'interrupted', id: left.id }])
    await requests.release(left.id)
    expect(await store.adopt(left.id, 'one', 'two')).toBe(false)
    expect(await requests.begin(identity('a'), {})).toMatchObject({ state: 'new' })
  })
})
