// The limits that callers meet, filled from the configuration and shown by GET /settings/public.

export const rateClasses = ['read', 'write', 'start', 'exec', 'auth'] as const
export type RateClass = (typeof rateClasses)[number]
export type Rates = Readonly<Record<RateClass, number>>

/** Multiplies every rate; one request a minute is the least. */
export const scaleRates = (rates: Rates, scale: number): Rates =>
  Object.fromEntries(rateClasses.map((name) => [name, Math.max(1, Math.round(rates[name] * scale))])) as unknown as Rates

export interface Limits {
  readonly capacity: number
  readonly queue: number
  /** The size of the warm pool. */
  readonly warm: number
  /** The maximum age of a warm sandbox. */
  readonly warmMinutes: number
  readonly accountSandboxes: number
  readonly anonymousSandboxes: number
  /** The disk allowance of a sandbox. */
  readonly diskBytes: number
  /** Added to the duration of the course for sandboxes of accounts. */
  readonly lingerMinutes: number
  readonly anonymousMinutes: number
  readonly extendMinutes: number
  /** The maximum lifetime, which extensions cannot exceed. */
  readonly longestMinutes: number
  readonly graceMinutes: number
  readonly evaluations: number
  readonly evaluationSpacingSeconds: number
  /** Requests per minute. */
  readonly rates: { readonly anonymous: Rates; readonly account: Rates }
  /** Open ones in all, and of one client network. */
  readonly connections: number
  readonly networkConnections: number
  readonly batchItems: number
  readonly idempotencyHours: number
  /** The largest response stored under an idempotency key; `keptAccountBytes` limits all of an account. */
  readonly keptAnswerBytes: number
  readonly keptAccountBytes: number
  /** How long a shell is kept after its connection was lost. */
  readonly terminalLingerSeconds: number
  /** Of one sandbox, all its recordings together. */
  readonly recordingBytes: number
  /** How long they are kept after the end of the sandbox. */
  readonly recordingDays: number
}
