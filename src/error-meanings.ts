// What each error code means and what a caller can do about it: the one source of the tables in docs/api.md, the OpenAPI document and
// llms.txt.

import { type ErrorCode, statusOf } from './errors.ts'

interface Meaning {
  readonly means: string
  /** What the caller can do. */
  readonly remedy: string
}

export const errorMeanings: Readonly<Record<ErrorCode, Meaning>> = {
  invalid_request: {
    means: 'the request is not valid HTTP, or its body, a parameter or a header is wrong',
    remedy: 'correct what `message` and `details.fields` name',
  },
  unsupported_api_version: {
    means: 'there is no such `API-Version`',
    remedy: 'send one of `details.supported_versions`, or leave the header out',
  },
  course_not_startable: { means: 'the course is a track and has no sandbox of its own', remedy: 'start one of the courses that it lists' },
  evaluations_exhausted: { means: 'all evaluations of the sandbox are used', remedy: 'start another sandbox' },
  lifetime_exhausted: { means: 'the sandbox has its longest life already', remedy: 'start another sandbox' },
  sign_in_failed: { means: 'the sign-in was not completed, or its link is used or too old', remedy: 'begin the sign-in again' },
  payments_off: { means: 'nothing can be bought here', remedy: 'ask the operator; waiting does not help' },
  payment_not_confirmed: {
    means: 'the payment provider has not confirmed the payment of this checkout session',
    remedy: 'pay at `payment_url`, then read the session until `payment_status` is `paid`',
  },
  checkout_not_open: {
    means: 'the checkout session is completed, cancelled or expired',
    remedy: 'read the session; create another one if it was not paid',
  },
  already_bought: { means: 'the account has this plan already', remedy: 'nothing has to be paid; `GET /auth/me` shows the plan' },
  sold_out: {
    means: 'all of the limited number are sold, or held by open checkout sessions',
    remedy: 'try again later, when some may have expired, or choose another plan',
  },
  invalid_signature: {
    means: 'the event is not signed by the payment provider, was changed, or is too old',
    remedy: 'only the payment provider can send one',
  },
  unreadable_event: {
    means: 'the event is signed by the payment provider, but is not in a form that is known here',
    remedy: 'send it again when the operator has read the log',
  },
  unauthorized: {
    means: 'the credential is missing or wrong; also on public operations, when a wrong one is sent',
    remedy: 'send `Authorization: Bearer <personal access token>`; `WWW-Authenticate` leads to the requirements',
  },
  forbidden: { means: 'your account or your page may not do this', remedy: 'do what `resolution_hint` says, or ask the operator' },
  account_required: {
    means: 'the course has extra Linux capabilities and is not for anonymous callers',
    remedy: 'send a personal access token, or choose a course with `requires_account: false`',
  },
  plan_required: {
    means: 'the course, or every start here, needs a plan or credits, and your account has neither',
    remedy: 'buy a plan or credits, or choose another course',
  },
  cross_site_request: {
    means: 'a browser session may do this only from a page of this service',
    remedy: 'use the page of the service; other programs send a personal access token',
  },
  not_found: {
    means: 'there is no such route, course, sandbox, job, command, recording, hint, token or checkout session, or it is not yours',
    remedy: 'check the id; list what there is',
  },
  no_hint_fits: {
    means: 'hints are left (`details.hints_left`), but none of them fits the present state of the sandbox',
    remedy: 'what they would help with is done already, or is not reached yet; ask again when something has changed',
  },
  method_not_allowed: { means: 'the path exists, but not with this method', remedy: 'use a method of the `Allow` header' },
  request_timeout: { means: 'the request took too long to arrive', remedy: 'send it again' },
  sandbox_not_running: {
    means: 'the sandbox has not started yet, or has ended',
    remedy: 'read the sandbox; start another one if it has ended',
  },
  sandbox_outdated: {
    means: 'the service or the course was changed since the sandbox was started: it cannot be graded any more, and has no hints',
    remedy: 'start another sandbox; no evaluation was used',
  },
  container_not_running: {
    means: 'the main program of the container has ended',
    remedy: 'restart the container with `POST /sandbox/restart`, or look at it from another one',
  },
  command_limit_reached: { means: 'as many background commands run in the container as may', remedy: 'kill one, or wait until one ends' },
  command_not_started: { means: 'the container cannot start a command in the background', remedy: 'look at the container with an exec' },
  job_not_cancellable: { means: 'the start is not queued any more', remedy: 'stop its sandbox instead' },
  token_limit_reached: { means: 'the account has as many tokens as it may', remedy: 'revoke one with `DELETE /auth/tokens`' },
  invitation_limit_reached: {
    means: 'the sandbox has as many invitations as it may',
    remedy: 'end one with `DELETE /sandbox/{sandboxId}/invitations/{invitationId}`',
  },
  token_already_issued: {
    means: 'the token was created by an earlier request with this key, which got its value',
    remedy: 'if the value is lost, revoke the token (`details.api_token`) and create another one with a new key',
  },
  identity_in_use: {
    means: 'the identity belongs to another account',
    remedy: 'sign in with it and delete that account, or use another identity',
  },
  idempotency_in_progress: {
    means: 'the first request with this key is still under way',
    remedy: 'send it again after `Retry-After` seconds',
  },
  idempotency_outcome_unknown: {
    means: 'the service was interrupted during the first request with this key, and nobody can know whether it took effect',
    remedy: 'look at the state of the sandbox, then use a new key',
  },
  idempotency_answer_not_kept: {
    means: 'the request was carried out (`details.status`), but its answer is no longer there',
    remedy: 'look at what it changed, if it changed anything; use a new key to carry it out again',
  },
  payload_too_large: { means: 'the body, or the answers of a batch, are too large', remedy: 'send less, or in pieces' },
  unsupported_media_type: { means: 'the body is not JSON in UTF-8, or is encoded', remedy: 'send plain `Content-Type: application/json`' },
  idempotency_key_reused: { means: 'the key was used with another body', remedy: 'use a new key' },
  batch_undone: {
    means: 'another item of the atomic batch failed: this start was undone, or this item comes later and was not run',
    remedy: 'correct the item that failed and send the batch again',
  },
  rate_limited: { means: 'too many requests of this class', remedy: 'wait as long as `Retry-After` says' },
  sandbox_limit_reached: { means: 'you have as many sandboxes as you may', remedy: 'stop one that `details` names; waiting does not help' },
  checkout_limit_reached: {
    means: 'you have as many open checkout sessions as you may',
    remedy: 'cancel one, or let one expire',
  },
  capacity_exhausted: {
    means: 'every slot is taken and the queue is full, or the sandbox has as many terminals as it may',
    remedy: 'try again later; `GET /labs/capacity` shows the free slots',
  },
  evaluation_too_soon: { means: 'the last evaluation is too recent, or is still under way', remedy: 'wait as long as `Retry-After` says' },
  too_many_connections: { means: 'your network has too many connections open', remedy: 'close some; use one connection for many requests' },
  headers_too_large: { means: 'the headers of the request are too large', remedy: 'send fewer or shorter ones' },
  internal: { means: 'the service failed', remedy: 'send it again; report the `request_id` to the operator' },
  sandbox_start_failed: { means: 'the sandbox could not be started', remedy: 'start another one' },
  grading_failed: {
    means: 'the sandbox could not be graded; this says nothing about the repair and costs no evaluation',
    remedy: 'try again; after three such failures start another sandbox',
  },
  engine_unavailable: { means: 'the container engine does not answer', remedy: 'try again shortly' },
  course_unavailable: {
    means: 'the course needs Linux capabilities that the container engine here does not confine',
    remedy: 'choose another course',
  },
  provider_unavailable: { means: 'the provider of the sign-in does not answer', remedy: 'try again shortly, or sign in another way' },
  payment_provider_unavailable: {
    means: 'the payment provider does not answer as it should',
    remedy: 'try again after `Retry-After` seconds',
  },
  shutting_down: { means: 'the service is about to stop', remedy: 'try again after `Retry-After` seconds' },
}

export const errorColumns = ['status', 'code', 'what it means', 'what you can do'] as const

/** One row for each code, by status. */
export const errorRows = (): string[][] =>
  Object.entries(statusOf)
    .sort(([, one], [, other]) => one - other)
    .map(([code, status]) => {
      const { means, remedy } = errorMeanings[code as ErrorCode]
      return [String(status), `\`${code}\``, means, remedy]
    })
