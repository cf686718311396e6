import { describe, expect, it } from 'vitest'
import type { Clock } from '../../clock.ts'
import { attemptIdOf, createAttempts } from './attempts.ts'

const secret = 'a secret of at least 32 characters'
const open = (minutesLater = 0) => {
  let now = new Date('2026-01-02T03:04:05.000Z')
  const clock: Clock = { now: () => now, sleep: async () => undefined }
  const attempts = createAttempts({ secret, clock, minutes: 10 })
  const begun = attempts.begin('github', '/docs', null)
  now = new Date(now.getTime() + minutesLater * 60_000)
  return { attempts, ...begun }
}

describe('an attempt', () => {
  it('comes back as it was, and tells nothing on the way', () => {
    const { attempts, attempt, id, sealed } = open(9)
    expect(attempts.open('github', attempt.state, sealed)).toEqual(attempt)
    expect(id).toBe(attemptIdOf(attempt.state))
    const seen = Buffer.from(sealed, 'base64url').toString('latin1') + sealed + id
    for (const part of [attempt.verifier, attempt.nonce, attempt.state, '/docs']) expect(seen).not.toContain(part)
  })

  it('is another one each time', () => {
    const [one, other] = [open(), open()]
    expect(one.attempt.state).not.toBe(other.attempt.state)
    expect(one.attempt.verifier).not.toBe(other.attempt.verifier)
    expect(one.attempts.open('github', one.attempt.state, other.sealed)).toBeNull()
  })

  it('is over after its time', () => {
    const { attempts, attempt, sealed } = open(10)
    expect(attempts.open('github', attempt.state, sealed)).toBeNull()
  })

  it('belongs to its provider, its state and its installation', () => {
    const { attempts, attempt, sealed } = open()
    expect(attempts.open('google', attempt.state, sealed)).toBeNull()
    expect(attempts.open('github', `${attempt.state}x`, sealed)).toBeNull()
    const clock: Clock = { now: () => new Date('2026-01-02T03:04:05.000Z'), sleep: async () => undefined }
    const elsewhere = createAttempts({ secret: `${secret}!`, clock, minutes: 10 })
    expect(elsewhere.open('github', attempt.state, sealed)).toBeNull()
  })

  it('is not opened when any byte of it was changed', () => {
    const { attempts, attempt, sealed } = open()
    const bytes = Buffer.from(sealed, 'base64url')
    for (let index = 0; index < bytes.length; index += 7) {
      const bent = Buffer.from(bytes)
      bent[index] = (bent[index] as number) ^ 1
      expect(attempts.open('github', attempt.state, bent.toString('base64url'))).toBeNull()
    }
    for (const nothing of ['', 'x', 'AAAA', '%', sealed.slice(0, 20)]) expect(attempts.open('github', attempt.state, nothing)).toBeNull()
  })
})
