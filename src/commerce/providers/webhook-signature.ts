// Signatures of webhooks: `t=<seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 of `<seconds>.<body>`. They are about bytes: the body is
// neither decoded nor parsed before its signature is right. A time too far in the future is refused as one too far in the past.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { LabError } from '../../errors.ts'

export const toleranceSeconds = 300
/** One time and about fourteen signatures. */
const longestHeader = 1024
const part = /^([a-z][a-z0-9]*)=([\x21-\x7e]+)$/
const digest = /^[0-9a-f]{64}$/

const macOf = (secret: string, time: string, body: Buffer): Buffer => createHmac('sha256', secret).update(`${time}.`).update(body).digest()

export const signBody = (body: Buffer, secret: string, at: Date): string => {
  const time = String(Math.floor(at.getTime() / 1000))
  return `t=${time},v1=${macOf(secret, time, body).toString('hex')}`
}

interface Signed {
  readonly time: string
  readonly signatures: readonly Buffer[]
}

/** Null for what is no such header. Schemes other than v1 are left out, as the sender may use several at a time. */
const readHeader = (header: string): Signed | null => {
  if (header.length > longestHeader) return null
  const parts = header.split(',').map((text) => part.exec(text))
  const valuesOf = (name: string) => parts.flatMap((found) => (found?.[1] === name ? [found[2] as string] : []))
  const [time, ...moreTimes] = valuesOf('t')
  if (parts.includes(null) || time === undefined || moreTimes.length > 0 || !/^\d{1,12}$/.test(time)) return null
  const signatures = valuesOf('v1').filter((text) => digest.test(text))
  return { time, signatures: signatures.map((text) => Buffer.from(text, 'hex')) }
}

const invalid = (message: string) => new LabError('invalid_signature', message)

export interface SignedBody {
  readonly body: Buffer
  readonly header: string | string[] | undefined
  /** Several while one is replaced by another. */
  readonly secrets: readonly string[]
  readonly now: Date
}

/** Throws invalid_signature. */
export const verifySignature = ({ body, header, secrets, now }: SignedBody): void => {
  if (typeof header !== 'string') throw invalid('the event has no signature')
  const signed = readHeader(header)
  if (signed === null) throw invalid('the signature is not of the form t=…,v1=…')
  const expected = secrets.filter((secret) => secret !== '').map((secret) => macOf(secret, signed.time, body))
  // Every pair is compared, so that the time taken says nothing about which one was right.
  const matches = expected.flatMap((one) => signed.signatures.map((other) => timingSafeEqual(one, other)))
  if (!matches.includes(true)) throw invalid('the signature is not of this body')
  const skewSeconds = Math.abs(now.getTime() / 1000 - Number(signed.time))
  if (!(skewSeconds <= toleranceSeconds)) throw invalid(`the signature is more than ${toleranceSeconds} seconds old, or from the future`)
}
