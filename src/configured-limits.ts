// The limits that callers meet, as configured: the values that contract/limits.ts defines, and the requests per minute.

import type { LimitValues } from './contract/limits.ts'

export const rateClasses = ['read', 'write', 'start', 'exec', 'auth'] as const
export type RateClass = (typeof rateClasses)[number]
export type Rates = Readonly<Record<RateClass, number>>

/** Multiplies every rate; one request a minute is the least. */
export const scaleRates = ({ read, write, start, exec, auth }: Rates, scale: number): Rates => {
  const scaled = (rate: number) => Math.max(1, Math.round(rate * scale))
  return { read: scaled(read), write: scaled(write), start: scaled(start), exec: scaled(exec), auth: scaled(auth) }
}

export interface Limits extends LimitValues {
  /** Requests per minute. */
  readonly rates: { readonly anonymous: Rates; readonly account: Rates }
}
