// A sandbox that the operator ends, with and without a reason: what its owner reads of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMember } from '../support/accounts.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

let lab: MortalLab
let owner: string
beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_ACCOUNT_SANDBOXES: '3' })
  owner = (await createMember(lab.inside, 'Owner')).token
})
afterAll(() => lab?.close())

const own = (method: string, path: string, body?: unknown) => lab.call(method, path, body, {}, owner)
const start = async () => (await own('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
const end = (id: string, body?: unknown) => lab.call('DELETE', `/operator/sandboxes/${id}`, body)

describe('the end by the operator', () => {
  it('is told with its reason, which the first end decides', async () => {
    const { id, session_id } = await start()
    const reason = 'The host is restarted at noon <b>today</b>.'
    for (const wrong of ['', ' ', 'x'.repeat(201), 'two\nlines', 'a\u202eb', '\u001b[31m', 7])
      expect((await end(id, { reason: wrong })).status).toBe(400)
    expect((await lab.call('DELETE', `/operator/sandboxes/${id}`, { reason }, {}, owner)).status).toBe(403)
    const ended = await end(id, { reason: ` ${reason} ` })
    expect(ended.body).toMatchObject({
      status: 'terminated',
      termination_reason: 'stopped',
      termination_by: 'operator',
      termination_note: reason,
    })
    await end(id, { reason: 'another one' })
    await own('POST', '/sandbox/stop', { session_id })
    const { body } = await own('GET', `/sandbox/${id}`)
    expect([body.termination_reason, body.termination_by, body.termination_note]).toEqual(['stopped', 'operator', reason])
    const refused = await own('POST', '/sandbox/exec', { session_id, command: 'true' })
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      `the sandbox is terminated: it was ended by the operator: ${reason}`,
    ])
    const events = await fetch(`${lab.url()}/api/v1/sandbox/${id}/events`, { headers: { authorization: `Bearer ${owner}` } })
    expect(await events.text()).toContain(JSON.stringify(`the sandbox has ended: it was ended by the operator: ${reason}`))
  })

  it('needs no reason, and no body', async () => {
    for (const body of [undefined, {}]) {
      const { id } = await start()
      expect((await end(id, body)).status).toBe(200)
      const read = (await own('GET', `/sandbox/${id}`)).body
      expect(read).toMatchObject({ termination_reason: 'stopped', termination_by: 'operator' })
      expect(read).not.toHaveProperty('termination_note')
    }
  })

  it('is no other end', async () => {
    const { id, session_id } = await start()
    const stopped = await own('POST', '/sandbox/stop', { session_id })
    expect(stopped.body).toMatchObject({ id, termination_reason: 'stopped' })
    expect(stopped.body).not.toHaveProperty('termination_by')
  })
})
