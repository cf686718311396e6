import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame, frameType, numberBytes } from '../frames.ts'
import { createRelay } from './relay.ts'
import { mostConnections, windowBytes } from './relay-frames.ts'
import { createThrottle } from './throttle.ts'

const frame = (letter: string, id: number, payload?: Buffer) => encodeFrame(frameType(letter), id, payload)
const onStdout = (bytes: Buffer) => Buffer.concat([Buffer.from([1, 0, 0, 0]), numberBytes(bytes.length), bytes])

/** The other end of a relay's stream, controlled by a program that replaced the relay. */
const connect = ({ reads = true, perSecond = Number.MAX_SAFE_INTEGER } = {}) => {
  const sent: Buffer[] = []
  const raw = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      sent.push(chunk)
      if (reads) done()
    },
  })
  const streams: Duplex[] = []
  const throttle = createThrottle({ perSecond, burst: perSecond })
  const relay = createRelay({ raw, throttle, onConnection: (stream) => streams.push(stream) })
  const say = (...frames: Buffer[]) => {
    if (!raw.destroyed) raw.push(onStdout(Buffer.concat(frames)))
  }
  let isGone = false
  relay.gone.then(() => {
    isGone = true
  })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5))
  const saidOf = (letter: string) => sent.filter((each) => each[0] === frameType(letter))
  return { raw, relay, streams, say, settled, saidOf, isGone: () => isGone }
}

const bytes = (length: number) => Buffer.alloc(Math.min(length, 65_536), 'x')
const fill = (id: number, length: number) =>
  Array.from({ length: Math.ceil(length / 65_536) }, (_, index) => frame('D', id, bytes(length - index * 65_536)))

describe('a relayed connection', () => {
  it('carries bytes both ways, and their ends', async () => {
    const { say, streams, settled, saidOf } = connect()
    say(frame('H', 0), frame('O', 1), frame('D', 1, Buffer.from('hello')), frame('E', 1))
    await settled()
    const [stream] = streams as [Duplex]
    const heard: Buffer[] = []
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) heard.push(chunk as Buffer)
    expect(Buffer.concat(heard).toString()).toBe('hello')
    stream.end('back')
    await settled()
    expect(saidOf('D').map((each) => each.subarray(9).toString())).toEqual(['back'])
    expect([saidOf('E').length, saidOf('C').length, stream.destroyed]).toEqual([1, 1, true])
  })

  it('is granted more only when what came was taken', async () => {
    const { say, streams, settled, saidOf, isGone } = connect()
    say(frame('H', 0), frame('O', 1), ...fill(1, windowBytes))
    await settled()
    expect([saidOf('T').length, isGone()]).toEqual([0, false])
    streams[0]?.resume()
    await settled()
    expect(saidOf('T').reduce((sum, each) => sum + each.readUInt32BE(9), 0)).toBe(windowBytes)
  })

  it('is sent no more than its window, until the relay has handed that on', async () => {
    const { say, streams, settled, saidOf } = connect()
    say(frame('H', 0), frame('O', 1))
    await settled()
    let isDone = false
    streams[0]?.write(Buffer.alloc(windowBytes + 10), () => {
      isDone = true
    })
    await settled()
    const sentBytes = () => saidOf('D').reduce((sum, each) => sum + each.length - 9, 0)
    expect([sentBytes(), isDone]).toEqual([windowBytes, false])
    say(frame('T', 1, numberBytes(windowBytes)))
    await settled()
    expect([sentBytes(), isDone]).toEqual([windowBytes + 10, true])
  })

  it('that is over is forgotten on both sides, whatever is still said about it', async () => {
    const { say, streams, settled, isGone, saidOf } = connect()
    say(frame('H', 0), frame('O', 1))
    await settled()
    streams[0]?.destroy()
    await settled()
    say(frame('D', 1, bytes(10)), frame('E', 1), frame('C', 1), frame('T', 1, numberBytes(5)), frame('O', 2))
    await settled()
    expect([isGone(), streams.length, saidOf('C').length]).toEqual([false, 2, 1])
  })
})

describe('a relay that was replaced', () => {
  it.each<[string, Buffer[]]>([
    ['speaks before it greets', [frame('O', 1)]],
    ['greets twice', [frame('H', 0), frame('H', 0)]],
    ['speaks of connections that there never were', [frame('H', 0), frame('D', 1, bytes(1))]],
    ['leaves numbers out', [frame('H', 0), frame('O', 2)]],
    ['opens one twice', [frame('H', 0), frame('O', 1), frame('O', 1)]],
    ['opens too many', [frame('H', 0), ...Array.from({ length: mostConnections + 1 }, (_, index) => frame('O', index + 1))]],
    ['sends more than the window', [frame('H', 0), frame('O', 1), ...fill(1, 3 * windowBytes)]],
    ['goes on after the end', [frame('H', 0), frame('O', 1), frame('E', 1), frame('D', 1, bytes(1))]],
    ['claims to have taken what it was not sent', [frame('H', 0), frame('O', 1), frame('T', 1, numberBytes(1))]],
    ['promises 4 GiB', [frame('H', 0), Buffer.from([frameType('D'), 0, 0, 0, 1, 255, 255, 255, 255])]],
    ['talks nonsense', [frame('H', 0), Buffer.from('HTTP/1.1 200 OK\r\n\r\n')]],
  ])('and %s is ended, with all its connections', async (_, frames) => {
    const { relay, say, streams } = connect()
    for (const each of frames) say(each)
    await relay.gone
    expect(streams.every((stream) => stream.destroyed)).toBe(true)
  })

  it('and does not read, while more and more is asked of it, is ended', async () => {
    const { relay, say, settled, streams } = connect({ reads: false })
    say(frame('H', 0))
    for (let id = 1; id <= 100 && !relay.isOver(); id += 1) {
      say(frame('O', id))
      await settled()
      streams.at(-1)?.write(Buffer.alloc(windowBytes))
      say(frame('C', id))
      await settled()
    }
    expect(relay.isOver()).toBe(true)
  })

  it('and floods standard error is ended', async () => {
    const { raw, relay } = connect()
    for (let round = 0; round < 20; round += 1) raw.push(Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), Buffer.alloc(65_536)]))
    await relay.gone
  })

  it('and cuts what it says very small costs no more than the window', async () => {
    const { say, settled, isGone, streams } = connect()
    say(frame('H', 0), frame('O', 1))
    const before = process.memoryUsage()
    for (let sent = 0; sent < windowBytes; sent += 1024) say(...Array.from({ length: 1024 }, () => frame('D', 1, bytes(1))))
    await settled()
    const after = process.memoryUsage()
    expect(isGone()).toBe(false)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 1024 ** 2)
    expect(streams[0]?.readableLength).toBeLessThanOrEqual(windowBytes)
  })

  it('and floods is not read for a while', async () => {
    const { raw, say, settled } = connect({ perSecond: 100_000 })
    say(frame('H', 0))
    for (let id = 1; id <= 20; id += 1) say(frame('O', id), frame('C', id))
    await settled()
    expect(raw.isPaused()).toBe(true)
  })
})

describe('a relay that says anything at all', () => {
  const plausible = fc
    .tuple(fc.constantFrom(...'HODECT?'), fc.integer({ min: 0, max: 20 }), fc.uint8Array({ maxLength: 40 }))
    .map(([letter, id, payload]) => frame(letter, id, Buffer.from(payload)))
  const noise = fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each))

  it('neither throws nor holds more than it may', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(plausible, noise), { maxLength: 60 }), fc.boolean(), async (parts, framed) => {
        const { raw, relay, streams, say } = connect()
        say(frame('H', 0), frame('O', 1), frame('O', 2))
        for (const part of parts) if (!raw.destroyed) framed ? say(part) : raw.push(part)
        if (!raw.destroyed) raw.push(null)
        await relay.gone
        expect(streams.length).toBeLessThanOrEqual(parts.length + 2)
        for (const stream of streams) expect(stream.destroyed).toBe(true)
      }),
    )
  })
})
