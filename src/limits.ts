// What callers live with, as it is configured: the numbers that contract/limits.ts defines, and how many requests a minute.

import type { LimitValues } from './contract/limits.ts'

export const rateClasses = ['read', 'write', 'start', 'exec', 'auth'] as const
export type RateClass = (typeof rateClasses)[number]
export type Rates = Readonly<Record<RateClass, number>>

/** Multiplies every rate; one request a minute is the least. */
export const scaleRates = (rates: Rates, scale: number): Rates =>
  Object.fromEntries(rateClasses.map((name) => [name, Math.max(1, Math.round(rates[name] * scale))])) as unknown as Rates

export interface Limits extends LimitValues {
  /** Requests per minute. */
  readonly rates: { readonly anonymous: Rates; readonly account: Rates }
}
