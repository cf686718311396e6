// The error codes of the service, each with its HTTP status.
// Features throw LabError; only the edges (http, mcp, cli) translate it. Anything else is `internal`.

export const statusOf = {
  invalid_request: 400,
  unsupported_api_version: 400,
  course_not_startable: 400,
  evaluations_exhausted: 400,
  lifetime_exhausted: 400,
  sign_in_failed: 400,
  payments_off: 400,
  payment_not_confirmed: 400,
  checkout_not_open: 400,
  already_bought: 400,
  sold_out: 400,
  invalid_signature: 400,
  unreadable_event: 400,
  unauthorized: 401,
  forbidden: 403,
  account_required: 403,
  plan_required: 403,
  cross_site_request: 403,
  not_found: 404,
  no_hint_fits: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  sandbox_not_running: 409,
  sandbox_outdated: 409,
  container_not_running: 409,
  command_limit_reached: 409,
  command_not_started: 409,
  job_not_cancellable: 409,
  token_limit_reached: 409,
  invitation_limit_reached: 409,
  token_already_issued: 409,
  identity_in_use: 409,
  idempotency_in_progress: 409,
  idempotency_outcome_unknown: 409,
  idempotency_answer_not_kept: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  batch_undone: 424,
  rate_limited: 429,
  sandbox_limit_reached: 429,
  checkout_limit_reached: 429,
  capacity_exhausted: 429,
  evaluation_too_soon: 429,
  too_many_connections: 429,
  headers_too_large: 431,
  internal: 500,
  sandbox_start_failed: 500,
  grading_failed: 500,
  engine_unavailable: 503,
  course_unavailable: 503,
  provider_unavailable: 503,
  payment_provider_unavailable: 503,
  shutting_down: 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof statusOf

export interface ErrorOptions {
  /** What the caller can do about it. */
  readonly hint?: string
  /** Machine-readable details, for example the invalid fields. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

export class LabError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LabError'
    this.code = code
    this.hint = options.hint
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const isLabError = (error: unknown, code?: ErrorCode): error is LabError =>
  error instanceof LabError && (code === undefined || error.code === code)

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
