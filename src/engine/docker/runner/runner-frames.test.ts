import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forgedFrame as frame } from '../../../../test/support/frames.ts'
import { createFrameReader, encodeRun, type Frame } from './runner-frames.ts'

const end = (exitCode: number, late: number, ...counts: [number, number]) => {
  const payload = Buffer.from([exitCode, late, ...Buffer.alloc(16)])
  for (const [index, count] of counts.entries()) payload.writeDoubleBE(count, 2 + 8 * index)
  return payload
}

const order = () => ({
  argv: ['printf', '', 'Fähre ⛴'],
  input: Buffer.from('in\0put'),
  workingDirectory: '/srv',
  timeoutMs: 300,
  outputBytes: 4096,
  tailBytes: 1024,
  beginBeforeMs: 1000.2,
})

/** What is read from a stream that comes in these pieces; bytes of one stream are joined. */
const readAll = (pieces: readonly Buffer[]) => {
  const frames: Frame[] = []
  let garbage = 0
  const noteGarbage = () => {
    garbage += 1
  }
  const read = createFrameReader({ frame: (each) => frames.push(each), garbage: noteGarbage })
  for (const piece of pieces) read(piece)
  const joined: Frame[] = []
  for (const each of frames) {
    const last = joined.at(-1)
    const goesOn = each.kind === 'output' && last?.kind === 'output' && last.id === each.id && last.stream === each.stream
    if (goesOn) joined.splice(-1, 1, { ...last, bytes: Buffer.concat([last.bytes, each.bytes]) })
    else joined.push(each)
  }
  return { frames: joined, garbage }
}

const cut = (whole: Buffer, places: readonly number[]) => {
  const at = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((to, index) => whole.subarray(at[index], to))
}

const conversation = Buffer.concat([
  frame('H', 0),
  frame('S', 1, Buffer.from([0, 0, 1, 7])),
  frame('O', 1, Buffer.from('out')),
  frame('E', 1, Buffer.from('err')),
  frame('F', 2),
  frame('X', 1, end(7, 0, 3, 2 ** 40)),
  frame('X', 3, end(137, 1, 1e300, -1)),
])
const understood: Frame[] = [
  { kind: 'hello' },
  { kind: 'started', id: 1, leader: 263 },
  { kind: 'output', id: 1, stream: 'stdout', bytes: Buffer.from('out') },
  { kind: 'output', id: 1, stream: 'stderr', bytes: Buffer.from('err') },
  { kind: 'refused', id: 2 },
  { kind: 'ended', id: 1, exitCode: 7, timedOut: false, stdoutBytes: 3, stderrBytes: 2 ** 40 },
  { kind: 'ended', id: 3, exitCode: 137, timedOut: true, stdoutBytes: 0, stderrBytes: 0 },
]

describe('frames of a runner', () => {
  it('are the same wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (places) => {
        expect(readAll(cut(conversation, places))).toEqual({ frames: understood, garbage: 0 })
      }),
    )
  })

  it.each([
    ['of an unknown kind', frame('?', 1)],
    ['that only this side says', encodeRun(1, { ...order(), argv: ['true'] })],
    ['of no output', frame('O', 1)],
    ['of more output than one frame holds', frame('O', 1, Buffer.alloc(0), 65_537)],
    ['of a hello that says more', frame('H', 0, Buffer.from('more'))],
    ['of an end that says too little', frame('X', 1, Buffer.alloc(17))],
    ['of an end of 4 GiB', frame('X', 1, Buffer.alloc(0), 0xffffffff)],
  ])('%s are garbage, and nothing is read after them', (_, bytes) => {
    expect(readAll([frame('H', 0), bytes, conversation])).toEqual({ frames: [{ kind: 'hello' }], garbage: 1 })
  })

  it('of any bytes at all neither throw, nor say more than was sent, nor go on after garbage', () => {
    const plausible = fc
      .tuple(fc.constantFrom(...'HSFOEXR?'), fc.nat(), fc.uint8Array({ maxLength: 40 }), fc.option(fc.integer({ min: 0, max: 0xffffffff })))
      .map(([letter, id, payload, length]) => frame(letter, id, Buffer.from(payload), length ?? payload.length))
    const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.array(fc.oneof(plausible, noise), { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 20 }), (parts, places) => {
        const whole = Buffer.concat(parts)
        const { frames, garbage } = readAll(cut(whole, places))
        expect(garbage).toBeLessThanOrEqual(1)
        const said = frames.reduce((sum, each) => sum + (each.kind === 'output' ? each.bytes.length : 9), 0)
        expect(said).toBeLessThanOrEqual(whole.length)
      }),
    )
  })

  it('to it carry everything that a command needs', () => {
    const bytes = encodeRun(5, order())
    expect([bytes.toString('latin1', 0, 1), bytes.readUInt32BE(1), bytes.readUInt32BE(5)]).toEqual(['R', 5, bytes.length - 9])
    expect([9, 13, 17, 21].map((at) => bytes.readUInt32BE(at))).toEqual([300, 4096, 1024, 1001])
    const strings: string[] = []
    for (let at = 25; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at)
      strings.push(bytes.toString('utf8', at + 4, at + 4 + length))
      at += 4 + length
    }
    expect(strings).toEqual(['/srv', 'in\0put', 'printf', '', 'Fähre ⛴'])
  })
})
