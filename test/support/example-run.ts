// One drill over REST that calls every operation and meets as many errors as it can: the source of the examples in the OpenAPI document.

import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Examples, OperationExample } from '../../src/http/documents/examples.ts'
import { type Browser, openBrowser } from './browser.ts'
import { pathOnHost } from './openapi.ts'
import type { Answer, createClient, Lab } from './server.ts'
import { repair } from './solve.ts'
import type { StripeServer } from './stripe-server.ts'

type Call = ReturnType<typeof createClient>

interface Run {
  readonly lab: Lab
  /** Another server, which needs no plan: for those who have no account. */
  readonly openLab: Lab
  /** Without a credential. */
  readonly nobody: Call
  /** Another account, which is not an operator. */
  readonly member: Call
  /** The code of a one-time link for the operator. */
  readonly signInCode: () => Promise<string>
  /** A browser in which a member is signed in. */
  readonly memberBrowser: Browser
  /** Where its scenario-01 is. */
  readonly catalog: 'scenarios' | 'test/catalog'
  /** The server that plays Stripe. */
  readonly stripe: StripeServer
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly servers?: readonly object[] }>>>>
}

/** An example is public, and a debrief is not. */
const withoutDebrief = (answered: unknown): unknown =>
  typeof answered === 'object' && answered !== null && 'debrief' in answered
    ? { ...answered, debrief: '# What had happened\n\nThe cause, the repair and the lesson, as Markdown.\n' }
    : answered

/** Remembers the first request and the last answer of each status by operation, and refusals by code. */
const createRecorder = async (lab: Lab) => {
  const { paths } = (await (await fetch(`${lab.url}/openapi.json`)).json()) as Document
  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, servers }]) => ({
      method: method.toUpperCase(),
      operationId,
      pattern: new RegExp(`^${pathOnHost(path, { servers }).replace(/\{([^}]+)\}/g, '(?<$1>[^/]+)')}$`),
    })),
  )
  const operations: Record<string, OperationExample> = {}
  const errors: Record<string, unknown> = {}

  const note = (method: string, url: string, body: unknown, status: number, answered: unknown) => {
    const [path = '', query] = url.split('?')
    // A path without parameters comes first: /sandbox/terminal is no sandbox.
    const candidates = known.filter((one) => one.method === method && one.pattern.test(path))
    const found = candidates.find(({ pattern }) => !pattern.source.includes('(?<')) ?? candidates[0]
    if (found === undefined) throw new Error(`${method} ${path} is no operation`)
    const queried = [...new URLSearchParams(query)].map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value])
    const parameters = { ...found.pattern.exec(path)?.groups, ...Object.fromEntries(queried) }
    const before: OperationExample = operations[found.operationId] ?? {
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { body }),
      responses: {},
    }
    operations[found.operationId] = { ...before, responses: { ...before.responses, [status]: withoutDebrief(answered) } }
  }

  return {
    operations,
    errors,
    note,
    /** Sends a request whose answer is an example. */
    take: async (method: string, url: string, body?: unknown, status = 200): Promise<Answer> => {
      const answer = await lab.call(method, `/api/v1${url}`, body)
      expect([answer.status, answer.body], `${method} ${url}`).toEqual([status, expect.anything()])
      note(method, `/api/v1${url}`, body, status, answer.body)
      return answer
    },
    /** The same, at the root of the host. */
    takeAtRoot: async (method: string, url: string, body?: unknown, status = 200): Promise<Answer> => {
      const answer = await lab.call(method, url, body)
      expect([answer.status, answer.body], `${method} ${url}`).toEqual([status, expect.anything()])
      note(method, url, body, status, answer.body)
      return answer
    },
    refused: (code: string, { body }: Answer) => {
      expect(body.error?.code, JSON.stringify(body)).toBe(code)
      errors[code] = body
    },
  }
}

type Recorder = Awaited<ReturnType<typeof createRecorder>>

const readCatalog = async ({ take }: Recorder) => {
  await take('GET', '/health')
  await take('GET', '/labs/capacity')
  await take('GET', '/settings/public')
  await take('GET', '/credits/packs')
  await take('GET', '/plans')
  await take('GET', '/courses?limit=2&tier=beginner')
  await take('GET', '/courses/scenario-01')
  await take('GET', '/glossary?limit=1&q=inode&domain=linux-kernel')
  await take('POST', '/batch', {
    requests: [
      { method: 'GET', path: '/health' },
      { method: 'GET', path: '/courses/scenario-99' },
    ],
  })
}

const refuseRequests = async ({ refused }: Recorder, { lab, nobody, member }: Run) => {
  const start = '/api/v1/sandbox/start'
  refused('invalid_request', await lab.call('POST', start, { course_id: 'scenario-01', asynchronous: true }))
  refused('unsupported_api_version', await nobody('GET', '/api/v1/health', undefined, { 'api-version': '2020-01-01' }))
  refused('unauthorized', await nobody('GET', '/api/v1/sandbox'))
  refused('forbidden', await member('POST', start, { course_id: 'scenario-01', seed: 'one' }))
  refused('not_found', await nobody('GET', '/api/v1/courses/scenario-99'))
  refused('method_not_allowed', await lab.call('PATCH', '/api/v1/courses'))
  refused('payload_too_large', await lab.call('POST', '/api/v1/sandbox/exec', `{"command": "${'x'.repeat(2 ** 20)}"}`))
  refused('unsupported_media_type', await lab.call('POST', start, 'course_id=scenario-01', { 'content-type': 'text/plain' }))
  const undone = await lab.call('POST', '/api/v1/batch', {
    mode: 'atomic',
    requests: [
      { method: 'GET', path: '/courses/scenario-99' },
      { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } },
    ],
  })
  refused('batch_undone', { ...undone, body: undone.body.responses[1].body })
}

const work = async ({ take, refused }: Recorder, { lab }: Run, session_id: string, id: string) => {
  const exec = (command: string, container: string, key?: string) =>
    lab.call('POST', '/api/v1/sandbox/exec', { session_id, command, container }, key === undefined ? {} : { 'idempotency-key': key })
  await take('POST', '/sandbox/exec', { session_id, container: 'web', command: 'tail -n 1 /var/log/nginx/error.log', timeout_seconds: 10 })
  const { body } = await take('POST', '/sandbox/commands', { session_id, command: 'echo begun; sleep 600' }, 201)
  await expect.poll(async () => (await lab.call('GET', `/api/v1/sandbox/${id}/commands/${body.command_id}`)).body.output_bytes).toBe(6)
  await take('GET', `/sandbox/${id}/commands/${body.command_id}?offset=0&limit=65536`)
  await take('GET', `/sandbox/${id}/commands`)
  await take('DELETE', `/sandbox/${id}/commands/${body.command_id}`)
  const key = randomUUID()
  const first = exec('sleep 2', 'ops', key)
  await expect
    .poll(async () => (await exec('sleep 2', 'ops', key)).body.error?.code, { interval: 50, timeout: 1_500 })
    .toBe('idempotency_in_progress')
  refused('idempotency_in_progress', await exec('sleep 2', 'ops', key))
  await first
  refused('idempotency_key_reused', await exec('sleep 3', 'ops', key))
  await exec('kill -9 1; kill 1', 'web')
  await expect.poll(async () => (await exec('true', 'web')).body.error?.code).toBe('container_not_running')
  refused('container_not_running', await exec('true', 'web'))
  await take('POST', '/sandbox/restart', { session_id, container: 'web' })
  await take('POST', '/sandbox/hint', { session_id })
  await take('POST', '/sandbox/extend', { session_id })
  let extended = await lab.call('POST', '/api/v1/sandbox/extend', { session_id })
  while (extended.status === 200) extended = await lab.call('POST', '/api/v1/sandbox/extend', { session_id })
  refused('lifetime_exhausted', extended)
}

const grade = async ({ take, refused }: Recorder, { lab, catalog }: Run, session_id: string) => {
  const evaluate = () => lab.call('POST', '/api/v1/sandbox/eval', { session_id })
  const [tooSoon] = (await Promise.all([evaluate(), evaluate()])).filter(({ status }) => status === 429)
  if (tooSoon === undefined) throw new Error('two evaluations at a time')
  refused('evaluation_too_soon', tooSoon)
  await repair(lab, { session_id }, catalog)
  await setTimeout(Number(tooSoon.headers.get('retry-after')) * 1000)
  const { body } = await take('POST', '/sandbox/eval', { session_id })
  expect(body.passed).toBe(true)
  await take('GET', `/evaluations/${body.evaluation_id}`)
  await take('GET', '/evaluations?limit=2&course_id=scenario-01')
}

/** A link to what is left of the attempt, and its end. */
const share = async ({ take }: Recorder, id: string, recordingId: string) => {
  await take('GET', `/sandbox/${id}/report`)
  const { body } = await take('POST', `/sandbox/${id}/share`, undefined, 201)
  const share_secret = new URL(body.share_url).hash.slice(1)
  await take('POST', '/shared/report', { share_secret })
  await take('POST', `/shared/recordings/${recordingId}`, { share_secret })
  await take('GET', `/sandbox/${id}/share`)
  await take('DELETE', `/sandbox/${id}/share`)
}

const overview = async ({ take }: Recorder, id: string) => {
  await take('GET', '/operator/sandboxes')
  await take('GET', '/operator/capacity')
  await take('GET', '/operator/catalog')
  await take('GET', '/status')
  await take('DELETE', `/operator/sandboxes/${id}`, { reason: 'the machine is being updated' })
}

/** One slot: a second start queues. */
const queue = async (recorder: Recorder, { lab, member }: Run, session_id: string) => {
  const { take, refused } = recorder
  const wanted = { course_id: 'scenario-01', async: true }
  const cancelled = await take('POST', '/sandbox/start', wanted, 202)
  refused('sandbox_limit_reached', await lab.call('POST', '/api/v1/sandbox/start', wanted))
  refused('capacity_exhausted', await member('POST', '/api/v1/sandbox/start', wanted))
  await take('DELETE', `/jobs/${cancelled.body.job_id}`)
  const { body } = await lab.call('POST', '/api/v1/sandbox/start', wanted)
  await take('POST', '/sandbox/stop', { session_id })
  refused('sandbox_not_running', await lab.call('POST', '/api/v1/sandbox/exec', { session_id, command: 'true' }))
  await expect.poll(async () => (await lab.call('GET', body.status_url)).body.status).toBe('succeeded')
  const job = await take('GET', `/jobs/${body.job_id}`)
  refused('job_not_cancellable', await lab.call('DELETE', body.status_url))
  await overview(recorder, job.body.session.id)
}

/** A checkout that is cancelled, and one that is paid at the provider, which reports it. */
const buy = async ({ take, takeAtRoot, note, refused }: Recorder, { lab, stripe, signInCode }: Run) => {
  const { body: first } = await takeAtRoot('POST', '/checkout_sessions', { plan_id: 'pro_monthly' }, 201)
  const complete = (id: string) => lab.call('POST', `/checkout_sessions/${id}/complete`)
  await takeAtRoot('GET', `/checkout_sessions/${first.id}`)
  await takeAtRoot('GET', '/checkout_sessions?limit=1')
  refused('payment_not_confirmed', await complete(first.id))
  await takeAtRoot('POST', `/checkout_sessions/${first.id}/cancel`)
  refused('checkout_not_open', await complete(first.id))
  const { body: pack } = await take('POST', '/credits/checkout', { pack_id: 'credits_10' }, 201)
  // As the button of its page does it.
  const browser = openBrowser(lab.url)
  await browser.call('POST', '/api/v1/auth/local', { code: await signInCode() })
  const payment = await browser.call('POST', `/checkout_sessions/${pack.id}/payment`)
  note('POST', `/checkout_sessions/${pack.id}/payment`, undefined, 200, payment.body)
  const [session] = [...stripe.tables.sessions.values()]
  stripe.pay(session?.id ?? 'no page was opened')
  expect(new Set(await stripe.deliver(`${lab.url}/webhooks/stripe`))).toEqual(new Set([200]))
  const event = stripe.events.find(({ type }) => type === 'checkout.session.completed')
  const shown = { id: event?.id, type: event?.type, data: { object: { client_reference_id: pack.id, payment_status: 'paid' } } }
  note('POST', '/webhooks/stripe', shown, 200, { received: true })
  refused('invalid_signature', await lab.call('POST', '/webhooks/stripe', shown))
  await takeAtRoot('POST', `/checkout_sessions/${pack.id}/complete`)
  await takeAtRoot('GET', `/checkout_sessions/${pack.id}/history`)
  await take('GET', '/credits?limit=1')
}

/** What a browser session is for; the account of the member is gone afterwards. */
const account = async (recorder: Recorder, { lab, signInCode, memberBrowser }: Run, session_id: string) => {
  const { note, refused, take } = recorder
  const inBrowser = async (browser: Browser, method: string, path: string, body?: unknown, status = 200) => {
    const answer = await browser.call(method, `/api/v1${path}`, body)
    expect([answer.status, answer.body], `${method} ${path}`).toEqual([status, expect.anything()])
    note(method, `/api/v1${path}`, body, status, answer.body)
    return answer.body
  }
  const asAnswer = ({ status, body }: { status: number; body: unknown }): Answer => ({ status, body, headers: new Headers() })
  const [operator, other] = [openBrowser(lab.url), openBrowser(lab.url)]
  const code = await signInCode()
  await inBrowser(operator, 'POST', '/auth/local', { code })
  refused('sign_in_failed', asAnswer(await other.call('POST', '/api/v1/auth/local', { code })))
  await other.call('POST', '/api/v1/auth/local', { code: await signInCode() })
  await inBrowser(operator, 'POST', '/sandbox/give-up', { session_id })
  await inBrowser(operator, 'GET', '/auth/me')
  await take('GET', '/auth/billing')
  await inBrowser(operator, 'POST', '/auth/billing')
  await inBrowser(operator, 'GET', '/auth/sessions')
  await inBrowser(operator, 'DELETE', '/auth/sessions', { others: true })
  const wanted = { name: 'ci', duration_days: 30 }
  const created = await inBrowser(operator, 'POST', '/auth/tokens', wanted, 201)
  const key = { 'idempotency-key': randomUUID() }
  const create = () => operator.call('POST', '/api/v1/auth/tokens', wanted, key)
  await create()
  refused('token_already_issued', asAnswer(await create()))
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }
  refused('cross_site_request', asAnswer(await operator.call('POST', '/api/v1/auth/logout', undefined, foreign)))
  await take('GET', '/auth/tokens')
  await take('DELETE', '/auth/tokens', { token_id: created.api_token.id })
  await inBrowser(operator, 'POST', '/auth/logout')
  await inBrowser(memberBrowser, 'DELETE', '/auth/me')
}

/** Others come into the lab, and are let go. */
const invite = async ({ take, refused }: Recorder, { lab }: Run, id: string) => {
  const { body } = await take('POST', `/sandbox/${id}/invitations`, { role: 'watcher' }, 201)
  await take('GET', `/sandbox/${id}/invitations`)
  await take('DELETE', `/sandbox/${id}/invitations/${body.id}`)
  await take('POST', `/sandbox/${id}/invitations`, { role: 'partner' }, 201)
  const another = () => lab.call('POST', `/api/v1/sandbox/${id}/invitations`, { role: 'watcher' })
  let made = await another()
  while (made.status === 201) made = await another()
  refused('invitation_limit_reached', made)
  await take('DELETE', `/sandbox/${id}/invitations`)
}

/** What a page of the service does for a person without an account. */
const visitAsNobody = async ({ note }: Recorder, { openLab }: Run) => {
  const visitor = openBrowser(openLab.url)
  const inBrowser = async (method: string, path: string, body?: unknown, status = 200) => {
    const answer = await visitor.call(method, `/api/v1${path}`, body)
    expect([answer.status, answer.body], `${method} ${path}`).toEqual([status, expect.anything()])
    note(method, `/api/v1${path}`, body, status, answer.body)
    return answer.body
  }
  const { id } = await inBrowser('POST', '/visitor/labs', { course_id: 'scenario-01' }, 201)
  await inBrowser('GET', '/visitor/labs')
  const { ticket } = await inBrowser('POST', `/visitor/labs/${id}/ticket`)
  await inBrowser('POST', '/labs/access', { ticket })
}

/** The server must have one slot, room for one start in its queue, and two sandboxes for each account. */
export const runExamples = async (run: Run): Promise<Examples> => {
  const recorder = await createRecorder(run.lab)
  const { take, operations, errors } = recorder
  await readCatalog(recorder)
  await refuseRequests(recorder, run)
  await visitAsNobody(recorder, run)
  const { session_id, id } = (await take('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
  await take('GET', '/sandbox')
  await take('GET', `/sandbox/${id}`)
  await work(recorder, run, session_id, id)
  await invite(recorder, run, id)
  await grade(recorder, run, session_id)
  const { items } = (await take('GET', `/sandbox/${id}/recordings`)).body
  await take('GET', `/sandbox/${id}/recordings/${items[0].recording_id}`)
  await share(recorder, id, items[0].recording_id)
  await queue(recorder, run, session_id)
  await take('GET', `/sandbox/${id}/events`)
  await buy(recorder, run)
  await account(recorder, run, session_id)
  return { operations, errors }
}
