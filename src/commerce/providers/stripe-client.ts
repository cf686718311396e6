// The official library of Stripe, held to one address, one version of the API and bounded times. What it throws becomes our error, without
// what the library keeps beside it: headers and bodies of requests.

import Stripe from 'stripe'
import { isLabError, LabError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { providerUnavailable } from './provider-errors.ts'

/** The version whose shapes stripe-objects.ts reads; the type of the option holds it to the version of the library. */
export const apiVersion = '2026-10-28.endive'

export interface StripeClientOptions {
  readonly apiUrl: string
  readonly secretKey: string
  /** Of one attempt. */
  readonly timeoutMs?: number
}

const usualTimeoutMs = 8_000
const retries = 2
/** The pauses of the library between attempts, together. */
const pausesMs = 3_000

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

export const createStripeClient = ({ apiUrl, secretKey, timeoutMs = usualTimeoutMs }: StripeClientOptions): Stripe => {
  const { protocol, hostname, port } = new URL(apiUrl)
  return new Stripe(secretKey, {
    apiVersion,
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port || (defaultPorts[protocol] as string),
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    typescript: true,
  })
}

export const isStripeError = (error: unknown): error is InstanceType<typeof Stripe.errors.StripeError> =>
  error instanceof Stripe.errors.StripeError

/** What is asked for does not exist there, or does not any more. */
export const isMissing = (error: unknown): boolean => isStripeError(error) && error.code === 'resource_missing'

/** Words of a short list, or nothing that we repeat. */
const wordIn = (text: string | undefined): string => (text !== undefined && /^[\w.-]{1,64}$/.test(text) ? text : '')

const reasonOf = ({ type, code, param, statusCode, requestId }: InstanceType<typeof Stripe.errors.StripeError>): string =>
  [wordIn(type), wordIn(code), wordIn(param), statusCode, wordIn(requestId)].filter((part) => part !== '' && part !== undefined).join(' ')

/** Errors that are not Stripe's stay what they are. */
const toProviderError = (error: unknown): unknown => {
  if (isLabError(error) || !isStripeError(error)) return error
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return providerUnavailable('Stripe', reasonOf(error), 'create another checkout session')
  }
  return providerUnavailable('Stripe', reasonOf(error))
}

/** Runs requests and logs why one failed. All attempts together have a limit too, so that no answer can arrive byte by byte for ever. */
export const createAsk = (log: Log, timeoutMs = usualTimeoutMs) => {
  const late = () => providerUnavailable('Stripe', 'no answer in time')
  return async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const { promise: deadline, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(late()), (retries + 1) * timeoutMs + pausesMs)
    try {
      return await Promise.race([work(), deadline])
    } catch (thrown) {
      const error = toProviderError(thrown)
      if (error instanceof LabError && error.cause instanceof Error) log.warn({ reason: error.cause.message }, 'Stripe could not be asked')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

export type Ask = ReturnType<typeof createAsk>
