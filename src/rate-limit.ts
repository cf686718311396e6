// Rate limits: a token bucket for every caller and class of operation, which holds the requests of one minute. Counted in integers, so
// that the result is exact.

import { networkOf } from './client-network.ts'
import { type RateClass, type Rates, rateClasses, scaleRates } from './configured-limits.ts'
import { LabError } from './errors.ts'
import { refill, type TokenBucket } from './token-bucket.ts'

/** One request in the unit of a bucket: then the refill per millisecond equals the rate per minute. */
const request = 60_000
/** How many buckets are kept. The least recently used are dropped, and start full when they are used again. */
const mostBuckets = 100_000

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  /** How many more requests would be accepted now. */
  readonly remaining: number
  /** Seconds until one more would be accepted; 0 when the bucket is full. */
  readonly resetSeconds: number
}

export interface RateLimitOptions {
  readonly rates: { readonly anonymous: Rates; readonly account: Rates }
  /** Multiplies every rate. Above 0. */
  readonly scale: number
  /** Monotonic, in whole milliseconds. */
  readonly now: () => number
}

/**
 * Whoever holds tokens of a lab has what anonymous callers have, and does not share it with others of its network. All tokens of its
 * owner count together, and all that a place for a guest ever had, since another token costs nothing.
 */
export type Principal =
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'lab'; readonly sandboxId: string; readonly place: number | null }
  | { readonly kind: 'anonymous'; readonly address: string }

const keyOf = (who: Principal): string => {
  if (who.kind === 'account') return who.accountId
  return who.kind === 'lab' ? `lab ${who.sandboxId} ${who.place ?? 'owner'}` : networkOf(who.address)
}

/** The buckets of one class, in two generations: used since the last change, and used before it. */
const createShelf = () => {
  let young = new Map<string, TokenBucket>()
  let old = new Map<string, TokenBucket>()
  return (key: string, full: number, time: number): TokenBucket => {
    const known = young.get(key)
    if (known !== undefined) return known
    const bucket = old.get(key) ?? { level: full, at: time }
    if (young.size >= mostBuckets / 2) {
      old = young
      young = new Map()
    }
    young.set(key, bucket)
    return bucket
  }
}

const shapesOf = (rates: Rates) => {
  const shapeOf = (perMinute: number) => ({ perMinute, perSecond: perMinute * 1000, capacity: perMinute * request })
  const { read, write, start, exec, auth } = rates
  return { read: shapeOf(read), write: shapeOf(write), start: shapeOf(start), exec: shapeOf(exec), auth: shapeOf(auth) }
}

export const createRateLimit = ({ rates, scale, now }: RateLimitOptions) => {
  const shapes = { anonymous: shapesOf(scaleRates(rates.anonymous, scale)), account: shapesOf(scaleRates(rates.account, scale)) }
  const shelves = Object.fromEntries(rateClasses.map((name) => [name, createShelf()])) as Record<RateClass, ReturnType<typeof createShelf>>

  const bucketOf = (who: Principal, rateClass: RateClass) => {
    const shape = shapes[who.kind === 'account' ? 'account' : 'anonymous'][rateClass]
    const time = now()
    const bucket = shelves[rateClass](keyOf(who), shape.capacity, time)
    refill(bucket, shape, time)
    return { bucket, limit: shape.perMinute, full: shape.capacity }
  }

  return {
    /** Takes one request of this class from the caller's bucket, if there is one left. */
    take: (who: Principal, rateClass: RateClass): Allowance => {
      const { bucket, limit, full } = bucketOf(who, rateClass)
      const allowed = bucket.level >= request
      if (allowed) bucket.level -= request
      const remaining = Math.floor(bucket.level / request)
      const missing = (remaining + 1) * request - bucket.level
      return { allowed, limit, remaining, resetSeconds: bucket.level >= full ? 0 : Math.ceil(missing / limit / 1000) }
    },

    /** Puts one request back that turned out not to count. */
    giveBack: (who: Principal, rateClass: RateClass): void => {
      const { bucket, full } = bucketOf(who, rateClass)
      bucket.level = Math.min(full, bucket.level + request)
    },
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>

/** What is counted by network as `auth`, also when the credential that is refused now may be right. */
const tooManyGuesses = 'too many wrong credentials or sign-ins came from your network'

/** The error for a refused request. */
export const tooManyRequests = (who: Principal['kind'], rateClass: RateClass, { limit, resetSeconds }: Allowance): LabError =>
  new LabError('rate_limited', who === 'anonymous' && rateClass === 'auth' ? tooManyGuesses : 'too many requests', {
    hint: 'wait as long as Retry-After says',
    details: { class: rateClass, limit_per_minute: limit },
    retryAfterSeconds: Math.max(1, resetSeconds),
  })

/** The fields that every answer carries, as names and values in turn; none where nothing is limited. */
export const rateHeaderList = (allowance: Allowance | null): string[] =>
  allowance === null
    ? []
    : [
        'ratelimit-limit',
        String(allowance.limit),
        'ratelimit-remaining',
        String(allowance.remaining),
        'ratelimit-reset',
        String(allowance.resetSeconds),
      ]

export const rateHeaders = (allowance: Allowance | null): Record<string, string> => {
  const list = rateHeaderList(allowance)
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] as string]] : [])))
}
