import { randomBytes, randomInt } from 'node:crypto'
import { Duplex, PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCapture, createDemultiplexer, ended, outcomeWithin, plainStream } from './streams.ts'

const frame = (stream: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

const inPieces = (whole: Buffer, largest: number): Buffer[] => {
  const pieces: Buffer[] = []
  for (let at = 0; at < whole.length; ) {
    const end = Math.min(whole.length, at + randomInt(1, largest + 1))
    pieces.push(whole.subarray(at, end))
    at = end
  }
  return pieces
}

const split = (pieces: readonly Buffer[], limit: number) => {
  const stdout = createCapture(limit)
  const stderr = createCapture(limit)
  const take = createDemultiplexer(stdout, stderr)
  for (const piece of pieces) take(piece)
  return { stdout, stderr }
}

describe('the demultiplexer', () => {
  it.each([1, 3, 8, 9, 64, 5_000])('finds both streams in pieces of up to %i bytes', (largest) => {
    for (let round = 0; round < 20; round += 1) {
      const frames = Array.from({ length: 30 }, () => ({ stream: randomInt(1, 3), payload: randomBytes(randomInt(0, 300)) }))
      const whole = Buffer.concat(frames.map(({ stream, payload }) => frame(stream, payload)))
      const { stdout, stderr } = split(inPieces(whole, largest), 1_000_000)
      const expected = (wanted: number) => Buffer.concat(frames.filter(({ stream }) => stream === wanted).map(({ payload }) => payload))
      expect(stdout.content()).toEqual(expected(1))
      expect(stderr.content()).toEqual(expected(2))
    }
  })

  it('keeps up to the limit of each stream and counts the rest', () => {
    const whole = Buffer.concat([frame(1, Buffer.alloc(700, 'a')), frame(2, Buffer.alloc(40, 'e')), frame(1, Buffer.alloc(700, 'b'))])
    for (let round = 0; round < 20; round += 1) {
      const { stdout, stderr } = split(inPieces(whole, 100), 1_000)
      expect(stdout.content().toString()).toBe('a'.repeat(700) + 'b'.repeat(300))
      expect(stdout.bytes()).toBe(1_400)
      expect(stderr.content().toString()).toBe('e'.repeat(40))
      expect(stderr.bytes()).toBe(40)
    }
  })

  it.each([1, 7, 50, 1_400])('keeps the beginning and the end where both are wanted, in pieces of up to %i bytes', (largest) => {
    for (const length of [0, 99, 100, 101, 150, 1_400]) {
      const whole = randomBytes(length)
      const capture = createCapture(100, 30)
      for (const piece of inPieces(whole, largest)) capture.take(piece)
      const expected = length <= 100 ? whole : Buffer.concat([whole.subarray(0, 70), whole.subarray(length - 30)])
      expect(capture.content()).toEqual(expected)
      expect(capture.bytes()).toBe(length)
    }
  })

  it('passes on a frame before all of it has arrived', () => {
    const { stdout } = split([frame(1, Buffer.from('half of it')).subarray(0, 12)], 100)
    expect(stdout.content().toString()).toBe('half')
  })
})

describe('a capture', () => {
  it('of nothing is empty', () => {
    const capture = createCapture(10)
    expect(capture.content()).toEqual(Buffer.alloc(0))
    expect(capture.bytes()).toBe(0)
  })

  it('with a limit of zero only counts', () => {
    const capture = createCapture(0)
    capture.take(Buffer.from('abc'))
    expect(capture.content()).toEqual(Buffer.alloc(0))
    expect(capture.bytes()).toBe(3)
  })

  it('takes exactly its limit', () => {
    const capture = createCapture(3)
    capture.take(Buffer.from('abc'))
    capture.take(Buffer.from('d'))
    expect(capture.content().toString()).toBe('abc')
    expect(capture.bytes()).toBe(4)
  })
})

describe('ended', () => {
  it.each([
    ['ends', (stream: PassThrough) => stream.end()],
    ['is destroyed', (stream: PassThrough) => stream.destroy()],
    ['fails', (stream: PassThrough) => stream.destroy(new Error('gone'))],
  ])('resolves when the stream %s', async (_, finish) => {
    const stream = new PassThrough()
    const end = ended(stream)
    stream.resume()
    finish(stream)
    await expect(end).resolves.toBeUndefined()
  })
})

describe('outcomeWithin', () => {
  it('tells what ended in time from what did not', async () => {
    expect(await outcomeWithin(Promise.resolve(), 10_000)).toBe('done')
    expect(await outcomeWithin(new Promise(() => undefined), 1)).toBe('timeout')
  })

  it('passes a failure on', async () => {
    await expect(outcomeWithin(Promise.reject(new Error('no')), 10_000)).rejects.toThrow('no')
  })
})

it.each([undefined, new Error('read ECONNRESET')])('a connection that breaks while nobody reads ends nothing else (%s)', async (error) => {
  const raw = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  raw.on('error', () => undefined)
  const stream = plainStream(raw)
  const over = ended(raw)
  raw.destroy(error)
  await over
  await nextTurn()
  expect(stream.destroyed).toBe(true) // and an error without a listener would have ended this process
})
