// The tables, as the migrations leave them. Times are ISO 8601 text in UTC: equal on both databases, and they sort.

import type { SandboxStatus, TerminationReason } from '../contract/sandbox.ts'

/** The statuses of what is, or may be, on the engine. */
export const live = ['starting', 'running', 'completed'] as const satisfies readonly SandboxStatus[]

export interface InstallationTable {
  id: string
  created_at: string
}

export interface AccountTable {
  id: string
  login: string
  name: string
  role: 'operator' | 'member'
  created_at: string
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
}

export interface SandboxTable {
  id: string
  /** Null while it belongs to nobody in particular: anonymous use, or nobody's yet. */
  account_id: string | null
  /** The network that an anonymous caller came from. */
  address: string | null
  course_id: string
  /** What its parameters are drawn from. */
  seed: string
  /** The healthy state, as JSON; null until it is recorded. */
  baseline: string | null
  hints_used: number
  /** The indexes of those hints in the scenario, as JSON. */
  hints_given: string
  grading_errors: number
  status: SandboxStatus
  /** While it starts for nobody yet: being made, or ready. Null once it is somebody's. */
  pool_state: 'warming' | 'warm' | null
  termination_reason: TerminationReason | null
  /** Names of the services, workstation first, as JSON. */
  containers: string
  created_at: string
  expires_at: string
  /** The hard deadline that its engine objects carry. */
  deadline: string
  ended_at: string | null
  /** Which server started it, and in which life of that server. */
  node: string
  boot_id: string
  /** The remembered request that made it. */
  request_id: string | null
  /** The atomic batch that it belongs to. */
  batch_id: string | null
}

/** A start that did not answer at once. What became of it is told by its sandbox. */
export interface JobTable {
  id: string
  account_id: string
  course_id: string
  seed: string
  /** 1 or 0: 0 when it asks for its own seed. */
  may_be_warm: number
  /** Null while it is queued. */
  sandbox_id: string | null
  /** Its place in the order of all jobs. */
  position: number
  request_id: string | null
  batch_id: string | null
  created_at: string
  cancelled_at: string | null
}

/** A write that was sent under an idempotency key, and what it was answered. */
export interface RequestTable {
  id: string
  /** Whose it is; null for what was remembered before this was written down. */
  account_id: string | null
  /** Who asked for what under which key, as a hash. */
  scope: string
  body_hash: string
  node: string
  boot_id: string
  /** Null while it is under way. */
  status: number | null
  /** Null while it is under way, and when the answer was too large to be kept. */
  body: string | null
  /** What the body counts towards the account's allowance. */
  body_bytes: number
  /** The sandboxes whose session ids were in the answer, as JSON. */
  sandboxes: string
  created_at: string
}

/** An atomic batch. Whatever was made for it stays only if it has an answer; an empty one is kept with its request, or not at all. */
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
  /** JSON: every look, what it saw and when. */
  evidence: string
  hints_used: number
  started_at: string
  duration_ms: number
  request_id: string | null
}

export interface Tables {
  installation: InstallationTable
  account: AccountTable
  token: TokenTable
  sandbox: SandboxTable
  evaluation: EvaluationTable
  job: JobTable
  request: RequestTable
  batch: BatchTable
}
