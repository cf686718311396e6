// A token bucket: it fills at a steady rate, up to what it holds, and may owe something. Whether whoever finds too little in it
// is refused or waits is the business of its owner.

export interface TokenBucket {
  /** Below zero: what is owed. */
  level: number
  /** When it was filled last, in milliseconds. */
  at: number
}

export interface BucketShape {
  readonly capacity: number
  readonly perSecond: number
}

/** Lets in what has come since the last time. */
export const refill = (bucket: TokenBucket, { capacity, perSecond }: BucketShape, now: number): void => {
  bucket.level = Math.min(capacity, bucket.level + ((now - bucket.at) * perSecond) / 1000)
  bucket.at = now
}

/** Milliseconds until nothing is owed any more. */
export const debtMs = ({ level }: TokenBucket, { perSecond }: BucketShape): number => (level >= 0 ? 0 : (-level * 1000) / perSecond)
