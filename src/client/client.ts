// A typed client of the REST API, based on the same contract as the server. Needs only fetch, so that the command line and the web app
// share it: with a token, or with the cookie of a browser session. Error responses are thrown as LabError.
// A write has an idempotency key, so that it can be retried after a lost connection; one that needs no credential has none, and is sent once.

import type { z } from 'zod'
import {
  AccountDeleted,
  type BrowserSessionEndRequest,
  BrowserSessionList,
  EndedBrowserSession,
  EndedBrowserSessionList,
  Me,
} from '../contract/account.ts'
import { basePath } from '../contract/api-version.ts'
import { type BatchRequest, BatchResponse } from '../contract/batch.ts'
import { BillingPortal, BillingState } from '../contract/billing.ts'
import { Capacity } from '../contract/capacity.ts'
import {
  CheckoutHistory,
  CheckoutSession,
  CheckoutSessionList,
  type CheckoutSessionQuery,
  type CheckoutSessionRequest,
  type CreditsCheckoutRequest,
  PaymentPage,
} from '../contract/checkout.ts'
import {
  SandboxCommand,
  SandboxCommandList,
  SandboxCommandOutput,
  type SandboxCommandQuery,
  type SandboxCommandRequest,
} from '../contract/command.ts'
import { CourseDetail, CourseList, type CourseListQuery } from '../contract/course.ts'
import { CreditBalance, type CreditQuery } from '../contract/credits.ts'
import { ErrorEnvelope } from '../contract/error.ts'
import { Evaluation, EvaluationDetail, EvaluationList, type EvaluationQuery, GivenUp, Hint } from '../contract/evaluation.ts'
import { GlossaryList, type GlossaryQuery } from '../contract/glossary.ts'
import { Health } from '../contract/health.ts'
import { Job } from '../contract/job.ts'
import {
  EndedInvitationList,
  type GuestRole,
  Invitation,
  InvitationList,
  LabAccess,
  NewInvitation,
  VisitorLabList,
  VisitorLabTicket,
} from '../contract/lab-access.ts'
import { CreditPackList, PlanList } from '../contract/offers.ts'
import { CapacityDetail, CatalogReport, SandboxOverview, SandboxOverviewList } from '../contract/operator.ts'
import { PublicSettings } from '../contract/public-settings.ts'
import { RecordingList } from '../contract/recording.ts'
import { AttemptReport, Share, ShareCreated } from '../contract/report.ts'
import { type SandboxExecRequest, SandboxExecResponse, SandboxList, SandboxSession, type SandboxStartRequest } from '../contract/sandbox.ts'
import { ServiceStatus } from '../contract/status.ts'
import { TokenCreated, type TokenCreateRequest, TokenList, TokenRevoked } from '../contract/token.ts'
import { type ErrorCode, LabError, statusOf } from '../errors.ts'
import { readBounded } from './bounded-text.ts'
import { type FollowOptions, followSandbox } from './follow.ts'

export interface ClientOptions {
  /** The root of the service: http://localhost:8080. Empty for the host of the page that runs this. */
  readonly rootUrl: string
  /** A personal access token; public reads need none, nor does a page of the service, whose browser sends a cookie. */
  readonly token?: string
  /** What one can do where the server does not answer. */
  readonly unreachableHint?: string
}

interface SendOptions {
  readonly signal?: AbortSignal
  /** Without a key, and never repeated: nobody could tell a repetition from another write. */
  readonly once?: boolean
}

/** How often a request whose connection broke is sent once more. */
const retries = 2

/** Converts an error response into a LabError. */
export const toLabError = ({ error }: ErrorEnvelope, retryAfter: string | null = null): LabError =>
  new LabError(Object.hasOwn(statusOf, error.code) ? (error.code as ErrorCode) : 'internal', error.message, {
    ...(error.resolution_hint === undefined ? {} : { hint: error.resolution_hint }),
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  })

const refusal = (body: unknown, { status, headers }: Response): LabError => {
  const envelope = ErrorEnvelope.safeParse(body)
  return envelope.success
    ? toLabError(envelope.data, headers.get('retry-after'))
    : new LabError('internal', `the server answered ${status} without a reason`)
}

/** A random UUID. Browsers have randomUUID on secure addresses only, and a page of this service may be at one of a local network. */
const createKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

const queryOf = (query: Readonly<Record<string, string | number | undefined>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

const commandPath = (id: string, command_id: string) => `/sandbox/${encodeURIComponent(id)}/commands/${encodeURIComponent(command_id)}`

const invitationsPath = (id: string) => `/sandbox/${encodeURIComponent(id)}/invitations`

const checkoutPath = (id: string) => `/checkout_sessions/${encodeURIComponent(id)}`

export const createClient = ({ rootUrl, token, unreachableHint = './lab status says more' }: ClientOptions) => {
  const send = async (method: string, path: string, body?: unknown, { signal, once = false }: SendOptions = {}): Promise<Response> => {
    const init: RequestInit = {
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' || once ? {} : { 'idempotency-key': createKey() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await fetch(`${rootUrl}${path}`, init)
      } catch (error) {
        if (attempt < retries && !once && signal?.aborted !== true) continue
        throw new LabError('engine_unavailable', `the server ${rootUrl === '' ? '' : `at ${rootUrl} `}does not answer`, {
          hint: unreachableHint,
          cause: error,
        })
      }
    }
  }

  const callAtRoot = async <Shape extends z.ZodType>(
    shape: Shape,
    method: string,
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<z.infer<Shape>> => {
    const response = await send(method, path, body, options)
    const content: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw refusal(content, response)
    return shape.parse(content)
  }

  const call = <Shape extends z.ZodType>(shape: Shape, method: string, path: string, body?: unknown): Promise<z.infer<Shape>> =>
    callAtRoot(shape, method, `${basePath}${path}`, body)

  /** For somebody without a credential, of whom the service remembers no key. */
  const postOnce = <Shape extends z.ZodType>(shape: Shape, path: string, body?: unknown): Promise<z.infer<Shape>> =>
    callAtRoot(shape, 'POST', `${basePath}${path}`, body, { once: true })

  const callForText = async (method: string, path: string, mostBytes: number, body?: unknown): Promise<string> => {
    const response = await send(method, `${basePath}${path}`, body)
    if (!response.ok) throw refusal(await response.json().catch(() => undefined), response)
    return readBounded(response, mostBytes)
  }

  const openEvents = async (id: string, signal: AbortSignal): Promise<Response> => {
    const response = await send('GET', `${basePath}/sandbox/${encodeURIComponent(id)}/events`, undefined, { signal })
    if (!response.ok) throw refusal(await response.json().catch(() => undefined), response)
    return response
  }

  const readJob = (id: string): Promise<Job> => call(Job, 'GET', `/jobs/${encodeURIComponent(id)}`)

  return {
    health: () => call(Health, 'GET', '/health'),
    status: () => call(ServiceStatus, 'GET', '/status'),
    capacity: () => call(Capacity, 'GET', '/labs/capacity'),
    settings: () => call(PublicSettings, 'GET', '/settings/public'),
    plans: () => call(PlanList, 'GET', '/plans'),
    creditPacks: () => call(CreditPackList, 'GET', '/credits/packs'),
    glossary: (query: Partial<GlossaryQuery> = {}) => call(GlossaryList, 'GET', `/glossary${queryOf(query)}`),
    courses: (query: Partial<CourseListQuery> = {}) => call(CourseList, 'GET', `/courses${queryOf(query)}`),
    course: (id: string) => call(CourseDetail, 'GET', `/courses/${encodeURIComponent(id)}`),

    sandboxes: () => call(SandboxList, 'GET', '/sandbox'),
    sandbox: (id: string) => call(SandboxSession, 'GET', `/sandbox/${encodeURIComponent(id)}`),
    /** What happens to it, from a snapshot to its end; reconnects by itself. */
    follow: (id: string, options?: FollowOptions) => followSandbox((signal) => openEvents(id, signal), options),
    recordings: (id: string) => call(RecordingList, 'GET', `/sandbox/${encodeURIComponent(id)}/recordings`),
    /** What is left of an attempt. */
    report: (id: string) => call(AttemptReport, 'GET', `/sandbox/${encodeURIComponent(id)}/report`),
    /** The text of a recording. Throws when it has more bytes. */
    recording: (id: string, recording_id: string, mostBytes: number) =>
      callForText('GET', `/sandbox/${encodeURIComponent(id)}/recordings/${encodeURIComponent(recording_id)}`, mostBytes),
    share: (id: string) => call(Share, 'GET', `/sandbox/${encodeURIComponent(id)}/share`),
    shareReport: (id: string) => call(ShareCreated, 'POST', `/sandbox/${encodeURIComponent(id)}/share`),
    stopSharing: (id: string) => call(Share, 'DELETE', `/sandbox/${encodeURIComponent(id)}/share`),
    /** By the secret of a link, for anybody. */
    sharedReport: (share_secret: string) => call(AttemptReport, 'POST', '/shared/report', { share_secret }),
    sharedRecording: (share_secret: string, recording_id: string, mostBytes: number) =>
      callForText('POST', `/shared/recordings/${encodeURIComponent(recording_id)}`, mostBytes, { share_secret }),
    exec: (request: z.input<typeof SandboxExecRequest>) => call(SandboxExecResponse, 'POST', '/sandbox/exec', request),
    startCommand: (request: z.input<typeof SandboxCommandRequest>) => call(SandboxCommand, 'POST', '/sandbox/commands', request),
    commands: (id: string) => call(SandboxCommandList, 'GET', `/sandbox/${encodeURIComponent(id)}/commands`),
    readCommand: (id: string, command_id: string, query: Partial<SandboxCommandQuery> = {}) =>
      call(SandboxCommandOutput, 'GET', `${commandPath(id, command_id)}${queryOf(query)}`),
    killCommand: (id: string, command_id: string) => call(SandboxCommand, 'DELETE', commandPath(id, command_id)),
    evaluate: (session_id: string) => call(Evaluation, 'POST', '/sandbox/eval', { session_id }),
    hint: (session_id: string) => call(Hint, 'POST', '/sandbox/hint', { session_id }),
    /** For a signed-in person; not with a token. */
    giveUp: (session_id: string) => call(GivenUp, 'POST', '/sandbox/give-up', { session_id }),
    extend: (session_id: string) => call(SandboxSession, 'POST', '/sandbox/extend', { session_id }),
    restart: (session_id: string, container: string) => call(SandboxSession, 'POST', '/sandbox/restart', { session_id, container }),
    stop: (session_id: string) => call(SandboxSession, 'POST', '/sandbox/stop', { session_id }),
    evaluation: (id: string) => call(EvaluationDetail, 'GET', `/evaluations/${encodeURIComponent(id)}`),
    evaluations: (query: Partial<EvaluationQuery> = {}) => call(EvaluationList, 'GET', `/evaluations${queryOf(query)}`),

    /** Uses a ticket up, or comes by an invitation. */
    openLab: (ticket: string) => postOnce(LabAccess, '/labs/access', { ticket }),
    /** For a page of the service, without an account. */
    startAsVisitor: (course_id: string) => postOnce(VisitorLabTicket, '/visitor/labs', { course_id }),
    visitorLabs: () => call(VisitorLabList, 'GET', '/visitor/labs'),
    returnToLab: (id: string) => postOnce(VisitorLabTicket, `/visitor/labs/${encodeURIComponent(id)}/ticket`),
    invite: (id: string, role: GuestRole) => call(NewInvitation, 'POST', invitationsPath(id), { role }),
    invitations: (id: string) => call(InvitationList, 'GET', invitationsPath(id)),
    endInvitation: (id: string, invitation: string) =>
      call(Invitation.pick({ id: true, role: true }), 'DELETE', `${invitationsPath(id)}/${encodeURIComponent(invitation)}`),
    endInvitations: (id: string) => call(EndedInvitationList, 'DELETE', invitationsPath(id)),

    job: readJob,
    cancelJob: (id: string) => call(Job, 'DELETE', `/jobs/${encodeURIComponent(id)}`),

    /** Starts a sandbox and waits until it runs; `waiting` receives the job. Throws the error of a failed job. */
    start: async (request: SandboxStartRequest, waiting: (job: Job) => void = () => undefined): Promise<SandboxSession> => {
      const started = await call(SandboxSession.or(Job), 'POST', '/sandbox/start', request)
      if ('session_id' in started) return started
      for (let job = started; ; job = await readJob(job.job_id)) {
        if (job.session !== undefined) return job.session
        if (job.status === 'failed' || job.status === 'cancelled') {
          throw new LabError('sandbox_start_failed', job.error?.message ?? `the start was ${job.status}`, { hint: 'start another one' })
        }
        waiting(job)
        await new Promise((resolve) => setTimeout(resolve, job.poll_after_seconds * 1000))
      }
    },

    batch: (request: z.input<typeof BatchRequest>) => call(BatchResponse, 'POST', '/batch', request),

    credits: (query: Partial<CreditQuery> = {}) => call(CreditBalance, 'GET', `/credits${queryOf(query)}`),
    buyCredits: (request: z.input<typeof CreditsCheckoutRequest>) => call(CheckoutSession, 'POST', '/credits/checkout', request),
    createCheckout: (request: z.input<typeof CheckoutSessionRequest>) => callAtRoot(CheckoutSession, 'POST', '/checkout_sessions', request),
    checkouts: (query: Partial<CheckoutSessionQuery> = {}) => callAtRoot(CheckoutSessionList, 'GET', `/checkout_sessions${queryOf(query)}`),
    checkout: (id: string) => callAtRoot(CheckoutSession, 'GET', checkoutPath(id)),
    completeCheckout: (id: string) => callAtRoot(CheckoutSession, 'POST', `${checkoutPath(id)}/complete`),
    cancelCheckout: (id: string) => callAtRoot(CheckoutSession, 'POST', `${checkoutPath(id)}/cancel`),
    checkoutHistory: (id: string) => callAtRoot(CheckoutHistory, 'GET', `${checkoutPath(id)}/history`),
    /** For a signed-in person; not with a token. */
    openPaymentPage: (id: string) => callAtRoot(PaymentPage, 'POST', `${checkoutPath(id)}/payment`),
    billing: () => call(BillingState, 'GET', '/auth/billing'),
    /** For a signed-in person; not with a token. */
    openBillingPortal: () => call(BillingPortal, 'POST', '/auth/billing'),

    me: () => call(Me, 'GET', '/auth/me'),
    browserSessions: () => call(BrowserSessionList, 'GET', '/auth/sessions'),
    endBrowserSessions: (which: z.input<typeof BrowserSessionEndRequest>) =>
      call(EndedBrowserSessionList, 'DELETE', '/auth/sessions', which),
    /** These four are for a signed-in person; not with a token. */
    signInLocally: (code: string) => postOnce(Me, '/auth/local', { code }),
    logOut: () => call(EndedBrowserSession, 'POST', '/auth/logout'),
    deleteMe: () => call(AccountDeleted, 'DELETE', '/auth/me'),
    createToken: (request: z.input<typeof TokenCreateRequest>) => call(TokenCreated, 'POST', '/auth/tokens', request),
    tokens: () => call(TokenList, 'GET', '/auth/tokens'),
    revokeToken: (token_id: string) => call(TokenRevoked, 'DELETE', '/auth/tokens', { token_id }),

    /** For operators. */
    allSandboxes: () => call(SandboxOverviewList, 'GET', '/operator/sandboxes'),
    endAnySandbox: (id: string, reason?: string) =>
      call(SandboxOverview, 'DELETE', `/operator/sandboxes/${encodeURIComponent(id)}`, reason === undefined ? undefined : { reason }),
    capacityDetail: () => call(CapacityDetail, 'GET', '/operator/capacity'),
    catalogReport: () => call(CatalogReport, 'GET', '/operator/catalog'),
  }
}

export type Client = ReturnType<typeof createClient>
