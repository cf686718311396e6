import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLabError } from '../../errors.ts'
import { signBody, toleranceSeconds, verifySignature } from './webhook-signature.ts'

const now = new Date('2026-03-04T05:06:07.000Z')
const seconds = now.getTime() / 1000
const secret = 'whsec_of_this_installation'
const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array))

const isValid = (body: Buffer, header: string | string[] | undefined, secrets: readonly string[] = [secret], at = now): boolean => {
  try {
    verifySignature({ body, header, secrets, now: at })
    return true
  } catch (error) {
    if (!isLabError(error, 'invalid_signature')) throw error
    return false
  }
}

const shifted = (by: number) => new Date(now.getTime() + by * 1000)

describe('what was signed', () => {
  it('is accepted, whatever the bytes are', () => {
    fc.assert(fc.property(bytes, (body) => isValid(body, signBody(body, secret, now))))
  })

  it('is the HMAC over the time, a full stop and the bytes', () => {
    const body = Buffer.from('{"id":"evt_1"}')
    const mac = createHmac('sha256', secret).update(`${seconds}.{"id":"evt_1"}`).digest('hex')
    expect(signBody(body, secret, now)).toBe(`t=${seconds},v1=${mac}`)
  })

  it('is accepted up to five minutes before and after, and no second longer', () => {
    const body = Buffer.from('{}')
    const header = signBody(body, secret, now)
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (by) => {
        expect(isValid(body, header, [secret], shifted(by))).toBe(Math.abs(by) <= toleranceSeconds)
      }),
    )
    expect([300, 301, -300, -301].map((by) => isValid(body, header, [secret], shifted(by)))).toEqual([true, false, true, false])
  })

  it('is accepted under any one of several secrets, among other signatures and schemes', () => {
    const body = Buffer.from('{}')
    const old = signBody(body, 'whsec_before', now)
    const current = signBody(body, secret, now).split(',')[1]
    expect(isValid(body, old)).toBe(false)
    expect(isValid(body, old, [secret, 'whsec_before'])).toBe(true)
    expect(isValid(body, `${old},${current}`)).toBe(true)
    expect(isValid(body, `${old},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39,${current}`)).toBe(true)
    expect(isValid(body, `v1=short,${old},${current}`)).toBe(true)
  })
})

describe('what was not', () => {
  const body = Buffer.from('{"id":"evt_1","amount":2900}')
  const header = signBody(body, secret, now)

  it('is refused under another secret, the empty one, or none', () => {
    fc.assert(
      fc.property(
        fc.string().filter((other) => other !== secret),
        (other) => !isValid(body, header, [other]),
      ),
    )
    expect(isValid(body, signBody(body, '', now), [''])).toBe(false)
    expect(isValid(body, header, [])).toBe(false)
  })

  it('is refused with any byte changed, left out or added', () => {
    fc.assert(
      fc.property(fc.nat({ max: body.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(body)
        changed[at] = (changed[at] as number) ^ by
        const shorter = body.subarray(0, at)
        const longer = Buffer.concat([body.subarray(0, at), Buffer.from([by]), body.subarray(at)])
        expect([changed, shorter, longer].map((other) => isValid(other, header))).toEqual([false, false, false])
      }),
    )
  })

  it('is refused when the same JSON is written in another way', () => {
    const json = fc.json({ maxDepth: 3 })
    fc.assert(
      fc.property(json, (text) => {
        const value: unknown = JSON.parse(text)
        const others = [JSON.stringify(value, null, 1), ` ${text}`, `${text}\n`, `\ufeff${text}`].filter((other) => other !== text)
        const signature = signBody(Buffer.from(text), secret, now)
        expect(others.map((other) => isValid(Buffer.from(other), signature))).toEqual(others.map(() => false))
      }),
    )
    expect(isValid(Buffer.from('{"amount":2900,"id":"evt_1"}'), header)).toBe(false)
    expect(isValid(Buffer.from('{"id":"\\u0065vt_1","amount":2900}'), header)).toBe(false)
  })

  it('is refused when only its time was changed, to one that would be in tolerance', () => {
    const stale = signBody(body, secret, shifted(-4000))
    expect(isValid(body, stale.replace(/^t=\d+/, `t=${seconds}`))).toBe(false)
    expect(isValid(body, `t=${seconds},${stale}`)).toBe(false)
    expect(isValid(body, `${stale},t=${seconds}`)).toBe(false)
  })

  it('does not take bytes that are no UTF-8 for others that decode to the same text', () => {
    const [one, other] = [Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0x22, 0xfe, 0x22])]
    expect(one.toString()).toBe(other.toString())
    expect(isValid(other, signBody(one, secret, now))).toBe(false)
  })

  it('does not move the boundary between time and body', () => {
    const [time, v1] = header.split(',') as [string, string]
    expect(isValid(Buffer.concat([Buffer.from(time.slice(-1)), body]), `${time.slice(0, -1)},${v1}`)).toBe(false)
  })
})

describe('headers', () => {
  const body = Buffer.from('{}')
  const header = signBody(body, secret, now)
  const v1 = header.split(',')[1] as string

  it('of any garbage are refused, not an error of ours', () => {
    const tokens = fc.constantFrom(
      't',
      'v1',
      'v0',
      '=',
      ',',
      String(seconds),
      v1.slice(3),
      ' ',
      '-1',
      '1e9',
      '0x1',
      'Infinity',
      'NaN',
      '\0',
      'ü',
    )
    const garbage = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.array(tokens, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(garbage, (text) => text === header || !isValid(body, text) || text.split(',').includes(v1)),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['several', [header, header]],
    ['without a time', v1],
    ['without a signature', `t=${seconds}`],
    ['with an empty time', `t=,${v1}`],
    ['with a time that is no number', `t=Infinity,${v1}`],
    ['with a negative time', `t=-${seconds},${v1}`],
    ['with a time in exponents', `t=1e9,${v1}`],
    ['with two times', `${header},t=${seconds}`],
    ['with blanks', header.replace(',', ', ')],
    ['with half of the signature', header.slice(0, -32)],
    ['with the signature in capitals', header.toUpperCase().replace('T=', 't=').replace('V1=', 'v1=')],
    ['with the signature under another scheme', header.replace('v1=', 'v0=')],
    ['with a part that is none', `${header},x`],
    ['with an empty part', `${header},`],
  ])('%s are refused', (_name, value) => {
    expect(isValid(body, value)).toBe(false)
  })

  it('that are huge are refused, though they contain the right one', () => {
    expect(isValid(body, `${header}${',v1=0'.repeat(100_000)}`)).toBe(false)
    expect(isValid(body, `${header},v0=${'0'.repeat(2000)}`)).toBe(false)
    expect(isValid(body, `${header},v0=${'0'.repeat(64)}`)).toBe(true)
  })
})
