// Puts screenshots of the same size into one animated PNG, which browsers and code hosts show like a picture.

import { crc32 } from 'node:zlib'

export interface Frame {
  readonly png: Buffer
  /** How long it is shown. */
  readonly ms: number
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const signatureBytes = 8

const chunksOf = function* (png: Buffer): Generator<Chunk> {
  for (let at = signatureBytes; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += length + 12
  }
}

const encode = ({ type, data }: Chunk): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const numbers = (...values: readonly number[]): Buffer => {
  const data = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) data.writeUInt32BE(value, index * 4)
  return data
}

/** The frame replaces the one before it as a whole. */
const control = (sequence: number, header: Buffer, ms: number): Chunk => {
  const size = numbers(sequence, header.readUInt32BE(0), header.readUInt32BE(4), 0, 0)
  const delay = Buffer.alloc(6)
  delay.writeUInt16BE(ms, 0)
  delay.writeUInt16BE(1000, 2)
  return { type: 'fcTL', data: Buffer.concat([size, delay]) }
}

export const animate = (frames: readonly Frame[]): Buffer => {
  const [first] = frames
  if (first === undefined) throw new Error('an animation has at least one frame')
  const header = [...chunksOf(first.png)].find(({ type }) => type === 'IHDR')?.data as Buffer
  let sequence = 0
  const parts = frames.flatMap(({ png, ms }, index) => {
    const data = [...chunksOf(png)].filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data)
    const shown = control(sequence++, header, ms)
    const pieces = data.map((piece) =>
      index === 0 ? { type: 'IDAT', data: piece } : { type: 'fdAT', data: Buffer.concat([numbers(sequence++), piece]) },
    )
    return [shown, ...pieces]
  })
  const chunks = [
    { type: 'IHDR', data: header },
    { type: 'acTL', data: numbers(frames.length, 0) },
    ...parts,
    { type: 'IEND', data: Buffer.alloc(0) },
  ]
  return Buffer.concat([first.png.subarray(0, signatureBytes), ...chunks.map(encode)])
}
