// What a plan changes for its account, and what a start costs where a plan is required. Everything else stays as it is for everybody.

import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type Installation, openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { createSender } from '../support/http.ts'
import { connectAgent, ways } from '../support/mcp.ts'
import { paidEvent, signerOf } from '../support/payments.ts'
import { createClient, type Lab, startLab } from '../support/server.ts'
import { createSmallCourses } from '../support/small-courses.ts'

type Call = ReturnType<typeof createClient>

/** The small course, and two more that belong to a plan. */
let catalog: string
beforeAll(async () => {
  catalog = await createSmallCourses([
    { id: 'scenario-01' },
    { id: 'pro', fields: 'access: pro\n' },
    { id: 'large', fields: 'cluster: large\n' },
  ])
})
afterAll(() => rm(catalog, { recursive: true, force: true }))

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]

/** A server with payments, and people who buy by a real event. */
const useShop = (environment: Record<string, string>) => {
  let lab: Lab
  let inside: Installation
  let sender: ReturnType<typeof createSender>
  let report: (checkout: Parameters<typeof paidEvent>[0]) => Promise<void>
  const members: Call[] = []

  beforeAll(async () => {
    lab = await startLab({ LAB_SCENARIOS_DIR: catalog, LAB_PAYMENTS: 'local', ...environment })
    inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
    sender = createSender(lab.url, 2)
    const signer = await signerOf(lab.dataDir)
    report = async (checkout) => expect((await sender.send(signer.requestFor(paidEvent(checkout)))).status).toBe(200)
  })
  const stopAll = async (call: Call) => {
    for (const { session_id } of (await call('GET', '/api/v1/sandbox')).body.items)
      await call('POST', '/api/v1/sandbox/stop', { session_id })
  }
  afterEach(async () => {
    for (const call of [lab.call, ...members.splice(0)]) await stopAll(call)
  })
  afterAll(async () => {
    sender?.close()
    await inside?.store.close()
    await lab?.close()
  })

  return {
    lab: () => lab,
    newMember: async (): Promise<Call> => {
      const call = createClient(lab.url, (await createMember(inside)).token)
      members.push(call)
      return call
    },
    buyPlan: async (call: Call) => report((await call('POST', '/checkout_sessions', { plan_id: 'pro_monthly' })).body),
    buyCredits: async (call: Call) => report((await call('POST', '/api/v1/credits/checkout', { pack_id: 'credits_10' })).body),
  }
}

const start = (call: Call, course_id = 'scenario-01') => call('POST', '/api/v1/sandbox/start', { course_id })

describe('with a plan', () => {
  const limits = { LAB_ACCOUNT_SANDBOXES: '1', LAB_PRO_SANDBOXES: '2', LAB_LONGEST_MINUTES: '60', LAB_PRO_LONGEST_MINUTES: '90' }
  const { lab, newMember, buyPlan } = useShop(limits)

  it('an account has more sandboxes at once, which live longer', async () => {
    const call = await newMember()
    const lifetimeOf = async (session_id: string): Promise<string> => {
      let extended = await call('POST', '/api/v1/sandbox/extend', { session_id })
      while (extended.status === 200) extended = await call('POST', '/api/v1/sandbox/extend', { session_id })
      expect(extended.body.error.code).toBe('lifetime_exhausted')
      return extended.body.error.message
    }
    const first = await start(call)
    expect(first.status).toBe(200)
    expect(await lifetimeOf(first.body.session_id)).toContain('60 minutes')
    expect(codeOf(await start(call))).toEqual([429, 'sandbox_limit_reached'])
    await buyPlan(call)
    const second = await start(call)
    expect(second.status).toBe(200)
    expect(await lifetimeOf(second.body.session_id)).toContain('90 minutes')
    const third = await start(call)
    expect([...codeOf(third), third.body.error.details.limit]).toEqual([429, 'sandbox_limit_reached', 2])
  })

  it('an account starts courses of plans and large clusters, and nobody else but the operator does', async () => {
    const [call, other] = [await newMember(), await newMember()]
    for (const course of ['pro', 'large']) expect(codeOf(await start(call, course))).toEqual([403, 'plan_required'])
    await buyPlan(call)
    const pro = await start(call, 'pro')
    expect(pro.status).toBe(200)
    const large = await start(call, 'large')
    expect(large.status).toBe(202)
    await expect.poll(async () => (await call('GET', large.body.status_url)).body.status).toBe('succeeded')
    for (const course of ['pro', 'large']) expect(codeOf(await start(other, course))).toEqual([403, 'plan_required'])
    expect((await start(lab().call, 'pro')).status).toBe(200)
  })

  it('a start without one costs nothing here', async () => {
    const call = await newMember()
    expect((await start(call)).status).toBe(200)
    expect((await call('GET', '/api/v1/credits')).body).toMatchObject({ balance: 0, total_count: 0 })
  })
})

describe('where a plan is required', () => {
  const { lab, newMember, buyPlan, buyCredits } = useShop({ LAB_REQUIRE_PLAN: '1', LAB_CAPACITY: '1', LAB_ACCOUNT_SANDBOXES: '3' })
  const balanceOf = async (call: Call): Promise<number> => (await call('GET', '/api/v1/credits')).body.balance

  it('nobody starts with neither plan nor credits, agents without an account included; the operator does', async () => {
    const call = await newMember()
    expect(codeOf(await start(call))).toEqual([403, 'plan_required'])
    const agent = await connectAgent(lab().url, ways[0])
    expect((await agent.fails('start_drill', { course_id: 'scenario-01' })).code).toBe('plan_required')
    await agent.close()
    expect((await createClient(lab().url)('GET', '/api/v1/settings/public')).body.requires_plan).toBe(true)
    expect((await start(lab().call)).status).toBe(200)
  })

  it('a plan includes all starts', async () => {
    const call = await newMember()
    await buyPlan(call)
    expect((await start(call)).status).toBe(200)
    expect(await balanceOf(call)).toBe(0)
  })

  it('a start costs a credit, and one that is refused, cancelled or undone costs nothing', async () => {
    const call = await newMember()
    await buyCredits(call)
    expect(codeOf(await start(call, 'no-such-course'))).toEqual([404, 'not_found'])
    expect(await balanceOf(call)).toBe(10)
    expect((await start(call)).status).toBe(200)
    expect(await balanceOf(call)).toBe(9)
    const queued = await start(call)
    expect([queued.status, queued.body.status]).toEqual([202, 'queued'])
    expect(await balanceOf(call)).toBe(8)
    expect((await call('DELETE', queued.body.status_url)).body.status).toBe('cancelled')
    expect(await balanceOf(call)).toBe(9)
    const batch = await call('POST', '/api/v1/batch', {
      mode: 'atomic',
      requests: [
        { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } },
        { method: 'GET', path: '/courses/no-such-course' },
      ],
    })
    expect(batch.body.responses.map(({ status }: { status: number }) => status)).toEqual([424, 404])
    expect(await balanceOf(call)).toBe(9)
    const reasons = (await call('GET', '/api/v1/credits')).body.items.map(({ reason }: { reason: string }) => reason)
    expect(reasons.filter((reason: string) => reason === 'give_back')).toHaveLength(2)
    expect((await call('GET', '/api/v1/auth/me')).body.credits).toBe(9)
  })
})
