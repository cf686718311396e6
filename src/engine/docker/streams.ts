// Reads the multiplexed output of a container or an exec: splits standard output and error, counts and caps them.
// Frame of Docker: one byte stream number, three bytes zero, four bytes length, payload.

import { Duplex, PassThrough } from 'node:stream'

export interface Capture {
  readonly take: (chunk: Buffer) => void
  readonly bytes: () => number
  readonly content: () => Buffer
}

/** Keeps one buffer that grows up to the limit, so that many small chunks need no more memory than one large one. */
const createHead = (limit: number) => {
  let kept = Buffer.alloc(0)
  let length = 0
  return {
    /** Returns what there is no room for. */
    take: (chunk: Buffer): Buffer => {
      const part = chunk.subarray(0, limit - length)
      if (part.length === 0) return chunk
      if (length + part.length > kept.length) {
        const larger = Buffer.alloc(Math.min(limit, Math.max(2 * kept.length, length + part.length)))
        kept.copy(larger, 0, 0, length)
        kept = larger
      }
      part.copy(kept, length)
      length += part.length
      return chunk.subarray(part.length)
    },
    content: () => kept.subarray(0, length),
  }
}

/** Keeps the last bytes. The buffer has room for twice as many, so that it is moved only when it is full. */
const createTail = (limit: number) => {
  const kept = Buffer.alloc(2 * limit)
  let length = 0
  return {
    take: (chunk: Buffer): void => {
      const part = chunk.subarray(Math.max(0, chunk.length - limit))
      if (length + part.length > kept.length) {
        kept.copyWithin(0, length - limit, length)
        length = limit
      }
      part.copy(kept, length)
      length += part.length
    },
    content: () => kept.subarray(Math.max(0, length - limit), length),
  }
}

/** Keeps up to `limit` bytes: the first ones, and the last `tailLimit` of them. */
export const createCapture = (limit: number, tailLimit = 0): Capture => {
  const head = createHead(limit - tailLimit)
  const tail = createTail(tailLimit)
  let seen = 0
  return {
    take: (chunk) => {
      seen += chunk.length
      const rest = head.take(chunk)
      if (tailLimit > 0 && rest.length > 0) tail.take(rest)
    },
    bytes: () => seen,
    content: () => (tailLimit === 0 ? head.content() : Buffer.concat([head.content(), tail.content()])),
  }
}

const headerBytes = 8

/** Feeds both captures. Buffers no more than a header between chunks. */
export const createDemultiplexer = (stdout: Capture, stderr: Capture) => {
  let header = Buffer.alloc(0)
  let remaining = 0
  let target = stdout
  return (chunk: Buffer): void => {
    let rest = chunk
    while (rest.length > 0) {
      if (remaining === 0) {
        const needed = headerBytes - header.length
        header = Buffer.concat([header, rest.subarray(0, needed)])
        rest = rest.subarray(needed)
        if (header.length < headerBytes) return
        target = header[0] === 2 ? stderr : stdout
        remaining = header.readUInt32BE(4)
        header = Buffer.alloc(0)
        continue
      }
      const part = rest.subarray(0, remaining)
      target.take(part)
      remaining -= part.length
      rest = rest.subarray(part.length)
    }
  }
}

/** A duplex stream of standard input and standard output only. */
export const plainStream = (raw: Duplex): Duplex => {
  const readable = new PassThrough()
  const toReader = { take: (chunk: Buffer) => void readable.write(chunk), bytes: () => 0, content: () => Buffer.alloc(0) }
  raw.on('data', createDemultiplexer(toReader, createCapture(0)))
  ended(raw).then(() => readable.end())
  // Whoever reads it may not have begun, or have ended, when the connection breaks; `ended` tells that it has.
  return Duplex.from({ writable: raw, readable }).on('error', () => undefined)
}

/** Whether this process goes on for as long as the stream is open. */
export const keepProcessAlive = (stream: Duplex, wanted: boolean): void => {
  const socket = stream as Partial<{ ref(): void; unref(): void }>
  if (wanted) socket.ref?.()
  else socket.unref?.()
}

/** Resolves when the stream has ended, with or without an error. */
export const ended = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    stream.once('end', resolve)
    stream.once('close', resolve)
    stream.once('error', () => resolve())
  })

export const outcomeWithin = async (work: Promise<unknown>, milliseconds: number): Promise<'done' | 'timeout'> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), milliseconds)
  })
  try {
    return await Promise.race([work.then(() => 'done' as const), timeout])
  } finally {
    clearTimeout(timer)
  }
}
