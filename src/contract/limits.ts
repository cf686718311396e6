// The limits that callers meet, each defined once: its LAB_* variable, its value in GET /settings/public and its row in
// docs/operations.md are derived from here.

import { connectionLimits } from './connection-limits.ts'
import { paymentLimits } from './payment-limits.ts'

/** What a default may depend on. */
export interface Machine {
  readonly memoryBytes: number
  readonly cores: number
}

export interface Limit {
  readonly env: `LAB_${string}`
  readonly means: string
  readonly least: number
  readonly most: number
  readonly default: number | ((machine: Machine) => number)
  /** What the documents say of a default that depends on the machine. */
  readonly byDefault?: string
  /** Words that may be written for a number. */
  readonly words?: Readonly<Record<string, number>>
  /** Its name in GET /settings/public; without one it is the operator's business alone. */
  readonly public?: string
}

const mebibyte = 2 ** 20
const mostMinutes = 24 * 60

/** Room for sandboxes: 192 MiB of memory and a fiftieth of a core for each. */
const capacityOf = ({ memoryBytes, cores }: Machine) => Math.max(1, Math.min(Math.floor(memoryBytes / (192 * mebibyte)), cores * 50))

/** A few sandboxes stand ready, as long as that is a small part of the room. */
const poolOf = (machine: Machine) => Math.max(1, Math.min(4, Math.floor(capacityOf(machine) / 8)))

export const limitDefinitions = {
  lingerMinutes: {
    env: 'LAB_LINGER_MINUTES',
    public: 'sandbox_linger_minutes',
    means: "What an account's sandbox lives beyond the course's `duration_minutes`.",
    least: 0,
    most: mostMinutes,
    default: 15,
  },
  anonymousMinutes: {
    env: 'LAB_ANONYMOUS_MINUTES',
    public: 'sandbox_anonymous_minutes',
    means: 'What a sandbox lives that was started without an account.',
    least: 1,
    most: mostMinutes,
    default: 30,
  },
  extendMinutes: {
    env: 'LAB_EXTEND_MINUTES',
    public: 'sandbox_extend_minutes',
    means: 'What one extension adds to the life of a sandbox.',
    least: 1,
    most: mostMinutes,
    default: 30,
  },
  longestMinutes: {
    env: 'LAB_LONGEST_MINUTES',
    public: 'sandbox_longest_minutes',
    means: 'The longest life of a sandbox, with all extensions.',
    least: 1,
    most: mostMinutes,
    default: 120,
  },
  graceMinutes: {
    env: 'LAB_GRACE_MINUTES',
    public: 'sandbox_grace_minutes',
    means: 'What a sandbox lives on after a passed evaluation.',
    least: 1,
    most: mostMinutes,
    default: 10,
  },
  diskBytes: {
    env: 'LAB_DISK_BYTES',
    public: 'sandbox_disk_bytes',
    means: "What a sandbox may keep on the engine's disk, in all its containers; beyond, it is ended with `disk_exceeded`.",
    least: 16 * mebibyte,
    most: 2 ** 50,
    default: 2 ** 30,
  },
  accountSandboxes: {
    env: 'LAB_ACCOUNT_SANDBOXES',
    public: 'sandboxes_per_account',
    means: 'Sandboxes that one account may have at once.',
    least: 1,
    most: 10_000,
    default: 2,
  },
  anonymousSandboxes: {
    env: 'LAB_ANONYMOUS_SANDBOXES',
    public: 'sandboxes_per_anonymous_address',
    means: 'Sandboxes at once without an account: per IPv4 address, or per IPv6 /64.',
    least: 0,
    most: 10_000,
    default: 1,
  },
  capacity: {
    env: 'LAB_CAPACITY',
    public: 'capacity',
    means: 'Sandboxes at once, of everybody together.',
    least: 1,
    most: 10_000,
    default: capacityOf,
    byDefault: 'from memory and cores',
  },
  startWaitSeconds: {
    env: 'LAB_START_WAIT_SECONDS',
    public: 'start_wait_seconds',
    means: 'How long a start is waited for; beyond, it is answered with a job.',
    least: 1,
    most: 600,
    default: 30,
  },
  queue: {
    env: 'LAB_QUEUE_MAX',
    public: 'queue',
    means: 'Starts that may wait for room.',
    least: 0,
    most: 10_000,
    default: 50,
  },
  warm: {
    env: 'LAB_POOL',
    means: 'Sandboxes that may stand ready for nobody yet; `off` for none.',
    least: 0,
    most: 9_999,
    default: poolOf,
    byDefault: 'from memory and cores, 4 at most',
    words: { off: 0 },
  },
  warmMinutes: {
    env: 'LAB_POOL_MINUTES',
    means: 'How long a sandbox stands ready for nobody at most.',
    least: 1,
    most: mostMinutes,
    default: 30,
  },
  evaluations: {
    env: 'LAB_EVALUATIONS',
    public: 'evaluations_per_session',
    means: 'Evaluations of one sandbox.',
    least: 1,
    most: 1_000,
    default: 20,
  },
  evaluationSpacingSeconds: {
    env: 'LAB_EVALUATION_SPACING_SECONDS',
    public: 'evaluation_spacing_seconds',
    means: 'The time between two evaluations of one sandbox.',
    least: 0,
    most: 3_600,
    default: 5,
  },
  accountTokens: {
    env: 'LAB_ACCOUNT_TOKENS',
    public: 'tokens_per_account',
    means: 'Personal access tokens that one account may have, without revoked and expired ones.',
    least: 1,
    most: 10_000,
    default: 50,
  },
  browserSessionDays: {
    env: 'LAB_BROWSER_SESSION_DAYS',
    public: 'browser_session_days',
    means: 'How long a browser session lasts at most.',
    least: 1,
    most: 365,
    default: 30,
  },
  browserSessionIdleDays: {
    env: 'LAB_BROWSER_SESSION_IDLE_DAYS',
    public: 'browser_session_idle_days',
    means: 'How long a browser session lasts without being used.',
    least: 1,
    most: 365,
    default: 7,
  },
  signInMinutes: {
    env: 'LAB_SIGN_IN_MINUTES',
    public: 'sign_in_minutes',
    means: 'How long a one-time sign-in link, or a sign-in at a provider, may take.',
    least: 1,
    most: 60,
    default: 10,
  },
  ...paymentLimits,
  ...connectionLimits,
  batchItems: {
    env: 'LAB_BATCH_ITEMS',
    public: 'batch_items',
    means: 'Requests in one batch.',
    least: 1,
    most: 100,
    default: 20,
  },
  idempotencyHours: {
    env: 'LAB_IDEMPOTENCY_HOURS',
    public: 'idempotency_retention_hours',
    means: 'How long an Idempotency-Key is remembered.',
    least: 1,
    most: 720,
    default: 24,
  },
  keptAnswerBytes: {
    env: 'LAB_IDEMPOTENCY_BODY_BYTES',
    public: 'idempotency_answer_bytes',
    means: 'The largest answer that is kept under an Idempotency-Key; beyond, a replay is 409 `idempotency_answer_not_kept`.',
    least: 0,
    most: 2 ** 30,
    default: mebibyte / 4,
  },
  keptAccountBytes: {
    env: 'LAB_IDEMPOTENCY_ACCOUNT_BYTES',
    public: 'idempotency_account_bytes',
    means: 'All kept answers of an account together, and all of those who have tokens of one lab.',
    least: 0,
    most: 2 ** 40,
    default: 16 * mebibyte,
  },
  terminalLingerSeconds: {
    env: 'LAB_TERMINAL_LINGER_SECONDS',
    public: 'terminal_linger_seconds',
    means: 'How long a shell waits for a lost connection to come back.',
    least: 0,
    most: 3_600,
    default: 120,
  },
  recordingBytes: {
    env: 'LAB_RECORDING_BYTES',
    public: 'recording_bytes',
    means: 'What is recorded of one sandbox, all its recordings together; 0 for nothing.',
    least: 0,
    most: 2 ** 30,
    default: 10 * mebibyte,
  },
  recordingDays: {
    env: 'LAB_RECORDING_DAYS',
    public: 'recording_retention_days',
    means: 'How long recordings are kept after the end of the sandbox.',
    least: 0,
    most: 3_650,
    default: 7,
  },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitValues = Readonly<Record<keyof typeof limitDefinitions, number>>
