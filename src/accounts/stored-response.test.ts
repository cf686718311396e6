import { describe, expect, it } from 'vitest'
import { fromStored, type StoredResponse, toStored, withRequestId } from './stored-response.ts'

const sessionIdOf = (id: string) => `${id}.mac-of-${id}`
const mine = { session_id: sessionIdOf('mine'), id: 'mine', status: 'running' }
const keep = (answer: unknown, mostBytes = 1_000) => toStored(answer, sessionIdOf, mostBytes) as StoredResponse

describe('an answer', () => {
  it('is the same again, and holds no secret meanwhile', () => {
    const answer = { responses: [{ status: 200, body: mine }, { body: { session: mine, warnings: [] } }, 'text', null, 7] }
    const kept = keep(answer)
    expect(kept.sandboxes).toEqual(['mine'])
    expect(JSON.stringify(kept)).not.toContain('mac-of')
    expect(fromStored(kept, sessionIdOf)).toEqual(answer)
  })

  it('never gets a session id of a sandbox that it was not about', () => {
    const planted = { session_id: null, id: 'foreign' }
    const kept = keep({ mine, planted, forged: { session_id: 'foreign.x', id: 'foreign' }, bare: { session_id: sessionIdOf('foreign') } })
    expect(kept.sandboxes).toEqual(['mine'])
    expect(fromStored(kept, sessionIdOf)).toEqual({ mine, planted, forged: planted, bare: { session_id: null } })
    const tampered = { ...kept, body: JSON.stringify({ planted, mine: { session_id: null, id: 'mine' } }) }
    expect(fromStored(tampered, sessionIdOf)).toEqual({ planted, mine: { session_id: mine.session_id, id: 'mine' } })
  })

  it('tells each sandbox that it was about as it is now, and leaves the rest as it was', () => {
    const kept = keep({
      responses: [
        { status: 200, body: { ...mine, warnings: ['old'] } },
        { status: 200, body: { id: 'other', status: 'open' } },
      ],
    })
    const states = new Map([
      ['mine', { status: 'terminated', termination_reason: 'stopped' } as const],
      ['other', { status: 'terminated' } as const],
    ])
    expect(fromStored(kept, sessionIdOf, states)).toEqual({
      responses: [
        { status: 200, body: { ...mine, status: 'terminated', termination_reason: 'stopped', warnings: ['old'] } },
        { status: 200, body: { id: 'other', status: 'open' } },
      ],
    })
  })

  it('carries the id of the present request in its errors, and nowhere else', () => {
    const error = { code: 'not_found', message: 'no', request_id: 'first' }
    const answer = { responses: [{ status: 404, body: { error } }], request_id: 'of something else' }
    expect(withRequestId(answer, 'second')).toEqual({
      ...answer,
      responses: [{ status: 404, body: { error: { ...error, request_id: 'second' } } }],
    })
  })

  it('has no token', () => {
    const kept = keep({ token: 'ilab_pat_x', api_token: { id: 'a', last_four: 'abcd' } })
    expect(JSON.parse(kept.body)).toEqual({ api_token: { id: 'a', last_four: 'abcd' } })
  })

  it('is not kept when it is too large, counted in bytes', () => {
    expect(toStored({ text: 'ä'.repeat(100) }, sessionIdOf, 211)).not.toBeNull()
    expect(toStored({ text: 'ä'.repeat(100) }, sessionIdOf, 210)).toBeNull()
  })
})
