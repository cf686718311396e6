import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { openStore } from '../store/store.ts'
import { createRememberedRequests, type RequestIdentity } from './remembered-requests.ts'

const open = async () => {
  const { requests: store } = await openStore({ databaseUrl: undefined, file: ':memory:', now: new Date() })
  const life = (bootId: string) => createRememberedRequests({ store, clock: systemClock, node: 'here', bootId, hours: 24 })
  return { store, life }
}
const identity = (key: string): RequestIdentity => ({ accountId: 'ada', method: 'POST', path: '/x', key })
const inProgress = { code: 'idempotency_in_progress' }

describe('a remembered request', () => {
  it('is in progress as long as its server works on it, and answered from then on', async () => {
    const { life } = await open()
    const requests = life('one')
    const first = await requests.begin(identity('a'), {})
    expect(first).toMatchObject({ state: 'new' })
    await expect(requests.begin(identity('a'), {})).rejects.toMatchObject(inProgress)
    await requests.finish((first as { id: string }).id, 200, '{}')
    expect(await requests.begin(identity('a'), {})).toEqual({ state: 'answered', status: 200, body: '{}' })
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
