// The numbers that callers live with. One table, filled by the configuration, shown in full by GET /settings/public.

export const rateClasses = ['read', 'write', 'start', 'exec', 'auth'] as const
export type RateClass = (typeof rateClasses)[number]
export type Rates = Readonly<Record<RateClass, number>>

/** Multiplies every rate; one request a minute is the least. */
export const scaleRates = ({ read, write, start, exec, auth }: Rates, scale: number): Rates => {
  const scaled = (rate: number) => Math.max(1, Math.round(rate * scale))
  return { read: scaled(read), write: scaled(write), start: scaled(start), exec: scaled(exec), auth: scaled(auth) }
}

export interface Limits {
  readonly capacity: number
  readonly queue: number
  /** Sandboxes that may stand ready for nobody yet. */
  readonly warm: number
  /** How long one stands ready at most. */
  readonly warmMinutes: number
  readonly accountSandboxes: number
  readonly anonymousSandboxes: number
  /** What a sandbox may keep on the engine's disk. */
  readonly diskBytes: number
  /** What an account's sandbox lives beyond the course's own duration. */
  readonly lingerMinutes: number
  readonly anonymousMinutes: number
  readonly extendMinutes: number
  /** No extension passes it. */
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
  /** What one answer may have to be kept under its key, and all those of an account together. */
  readonly keptAnswerBytes: number
  readonly keptAccountBytes: number
  /** How long a shell lives on after its connection was lost. */
  readonly terminalLingerSeconds: number
  /** Of one sandbox, all its recordings together. */
  readonly recordingBytes: number
  /** How long they are kept after the end of the sandbox. */
  readonly recordingDays: number
}
