// Types of the tables after all migrations. Times are ISO 8601 text in UTC, which sorts, and is the same on both databases.

import type { GuestRole, LabRole } from '../contract/lab-access.ts'
import type { SandboxStatus, TerminatedBy, TerminationReason } from '../contract/sandbox.ts'
import type { CommerceTables } from './commerce-tables.ts'

/** The statuses of sandboxes that are, or may be, on the engine. */
export const live = ['starting', 'running', 'completed'] as const satisfies readonly SandboxStatus[]

export interface InstallationTable {
  id: string
  created_at: string
}

export interface AccountTable {
  id: string
  name: string
  role: 'operator' | 'member'
  created_at: string
}

/** Who an account is for a provider: found by provider and subject, never by a login or an e-mail address. */
export interface IdentityTable {
  /** `local` is the operator of this installation; no provider has that name. */
  provider: 'github' | 'google' | 'local'
  subject: string
  account_id: string
  login: string | null
  /** Verified by the provider, or null. */
  email: string | null
  avatar_url: string | null
  created_at: string
  last_used_at: string
}

export interface BrowserSessionTable {
  id: string
  account_id: string
  /** SHA-256 of the value of the cookie. */
  hash: string
  /** A short summary, for its owner to recognize it. */
  user_agent: string
  created_at: string
  last_used_at: string
  expires_at: string
  revoked_at: string | null
}

/** What may be used once: a sign-in link, from when it was issued; an attempt with a provider, from when it came back. */
export interface SignInTable {
  /** SHA-256 of the secret. */
  hash: string
  /** The account that a link signs in to. */
  account_id: string | null
  expires_at: string
  used_at: string | null
}

export interface TokenTable {
  id: string
  account_id: string
  name: string
  /** SHA-256 of the raw token. */
  hash: string
  last_four: string
  created_at: string
  expires_at: string
  last_used_at: string | null
  revoked_at: string | null
  /** The request with an idempotency key that created it. */
  request_id: string | null
}

export interface SandboxTable {
  id: string
  /** Null for an anonymous sandbox, and in the warm pool. */
  account_id: string | null
  /** The network that an anonymous caller came from. */
  address: string | null
  course_id: string
  /** The seed of its parameters. */
  seed: string
  /** The baseline, as JSON; null until it is recorded. */
  baseline: string | null
  hints_used: number
  /** The indexes of the given hints in the scenario, as JSON. */
  hints_given: string
  /** When each of them was given, as JSON, in the same order. Fewer where some were given before times were kept. */
  hints_given_at: string
  grading_errors: number
  /** When its owner gave up and was shown the debrief. */
  given_up_at: string | null
  status: SandboxStatus
  /** In the warm pool: being built, or ready. Null otherwise. */
  pool_state: 'warming' | 'warm' | null
  termination_reason: TerminationReason | null
  /** Where it was not ended by its owner, or by a rule. */
  termination_by: TerminatedBy | null
  /** What the operator says of it. */
  termination_note: string | null
  /** Names of the services, workstation first, as JSON. */
  containers: string
  created_at: string
  expires_at: string
  /** The hard deadline in the labels of its engine objects. */
  deadline: string
  ended_at: string | null
  /** The server that started it; `boot_id` identifies the process. */
  node: string
  boot_id: string
  /** The request with an idempotency key that created it. */
  request_id: string | null
  /** The atomic batch that it belongs to. */
  batch_id: string | null
}

/** A link by which others enter a lab. */
export interface InvitationTable {
  id: string
  sandbox_id: string
  role: GuestRole
  /** SHA-256 of the secret in the link. */
  hash: string
  created_at: string
  expires_at: string
  ended_at: string | null
}

/** The access of one browser tab to one sandbox; or of a visitor's browser, which has no ticket and no token of its own. */
export interface LabAccessTable {
  id: string
  sandbox_id: string
  role: LabRole
  invitation_id: string | null
  /** Which of the places for guests of the sandbox, from 0 on; null for an owner. */
  place: number | null
  /** SHA-256 of the signed ticket that opened it, so that it opens nothing again. */
  first_ticket_hash: string | null
  /** SHA-256 of the ticket that comes next. */
  ticket_hash: string | null
  /** SHA-256 of the token. */
  token_hash: string | null
  /** SHA-256 of the visitor's cookie. */
  visitor_hash: string | null
  created_at: string
  last_seen_at: string
  expires_at: string
  revoked_at: string | null
}

/** An asynchronous start. Its state is that of its sandbox. */
export interface JobTable {
  id: string
  account_id: string
  course_id: string
  seed: string
  /** 1 or 0: 0 when a seed was requested. */
  may_be_warm: number
  /** The longest life that was promised; null for what everybody may have. */
  longest_minutes: number | null
  /** Null while it is queued. */
  sandbox_id: string | null
  /** Its position in the order of all jobs. */
  position: number
  request_id: string | null
  batch_id: string | null
  created_at: string
  cancelled_at: string | null
}

/** A start that has cost a credit, by the cause of that entry, until it is decided whether it is given back. */
export interface StartChargeTable {
  what: string
  sandbox_id: string | null
  /** For a start that was queued. */
  job_id: string | null
}

/** A write with an idempotency key, and its response. */
export interface RequestTable {
  id: string
  /** Null for requests with the token of a lab, and for rows from before this column existed. */
  account_id: string | null
  /** Of requests with the token of a lab. */
  sandbox_id: string | null
  /** A hash of caller, method, path and key. */
  scope: string
  body_hash: string
  node: string
  boot_id: string
  /** Null while it is in progress. */
  status: number | null
  /** Null while it is in progress, and when the response was too large to be stored. */
  body: string | null
  /** How much the body counts towards the storage limit of the account, or of the lab. */
  body_bytes: number
  /** The sandboxes whose session ids were in the response, as JSON. */
  sandboxes: string
  created_at: string
}

/** An atomic batch. It is committed once `body` is not null; the body is empty if the response is stored with the request, or not at all. */
export interface BatchTable {
  id: string
  request_id: string | null
  node: string
  boot_id: string
  body: string | null
  created_at: string
}

export interface EvaluationTable {
  id: string
  sandbox_id: string
  account_id: string | null
  course_id: string
  /** 1 or 0. */
  passed: number
  score: number
  /** JSON. */
  checkpoints: string
  /** JSON: every observation, with its time. */
  evidence: string
  hints_used: number
  /** 1 or 0: whether the account had given up on this course before. */
  assisted: number
  started_at: string
  duration_ms: number
  request_id: string | null
}

/** A link that shows what is left of an attempt to whoever has it. */
export interface ShareTable {
  sandbox_id: string
  /** Who has made it. */
  account_id: string
  /** SHA-256 of the secret. */
  hash: string
  shared_at: string
}

/** A payment of the local payment provider. */
export interface LocalPaymentTable {
  reference: string
  checkout_id: string
  customer: string
  subscription: string | null
  /** JSON. */
  state: string
  created_at: string
}

/** What the local payment provider has to report. */
export interface LocalEventTable {
  id: string
  body: string
  created_at: string
  delivered_at: string | null
}

export interface Tables extends CommerceTables {
  installation: InstallationTable
  account: AccountTable
  identity: IdentityTable
  browser_session: BrowserSessionTable
  sign_in: SignInTable
  token: TokenTable
  sandbox: SandboxTable
  invitation: InvitationTable
  lab_access: LabAccessTable
  evaluation: EvaluationTable
  share: ShareTable
  job: JobTable
  start_charge: StartChargeTable
  request: RequestTable
  batch: BatchTable
  local_payment: LocalPaymentTable
  local_event: LocalEventTable
}
