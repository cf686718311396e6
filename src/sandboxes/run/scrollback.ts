// The scrollback: the last output of each terminal, for clients that reconnect. Offsets count from the first byte that the shell
// printed. All terminals share a memory limit.

export interface Replay {
  /** The offset of the first byte; later than requested when older output was dropped. */
  readonly offset: number
  readonly bytes: Buffer
}

export interface Scrollback {
  append(chunk: Buffer): void
  /** How many bytes were printed in all. */
  end(): number
  since(offset: number): Replay
}

const smallest = 4 * 1024
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** A ring buffer that grows up to its limit. */
export const createRing = (limit: number) => {
  let capacity = Math.min(smallest, limit)
  let buffer = Buffer.alloc(capacity) // zeros: what this process had in its memory before is nobody's to read
  let most = limit
  let end = 0
  let start = 0

  const place = (bytes: Buffer, offset: number) => {
    const at = offset % capacity
    const first = bytes.copy(buffer, at)
    bytes.copy(buffer, 0, first)
  }
  const read = (from: number): Buffer => {
    const at = from % capacity
    const length = end - from
    const first = buffer.subarray(at, Math.min(capacity, at + length))
    return Buffer.concat([first, buffer.subarray(0, length - first.length)])
  }
  const resize = (wanted: number) => {
    start = Math.max(start, end - wanted)
    const kept = read(start)
    capacity = wanted
    buffer = Buffer.alloc(capacity)
    place(kept, start)
  }

  return {
    append: (chunk: Buffer): void => {
      const wanted = end - start + chunk.length
      if (wanted > capacity && capacity < most) resize(Math.min(most, Math.max(wanted, capacity * 2)))
      const tail = chunk.subarray(Math.max(0, chunk.length - capacity))
      place(tail, end + chunk.length - tail.length)
      end += chunk.length
      start = Math.max(start, end - capacity)
    },
    end: () => end,
    since: (offset: number): Replay => {
      let from = Math.min(end, Math.max(start, offset))
      // Skips the rest of a character whose first bytes were dropped.
      if (offset < start)
        for (let skipped = 0; skipped < 3 && from < end && isContinuation(buffer[from % capacity]); skipped += 1) from += 1
      return { offset: from, bytes: read(from) }
    },
    /** Changes the limit. */
    limitTo: (bytes: number): void => {
      most = bytes
      if (capacity > most) resize(most)
    },
  }
}

export interface ScrollbacksOptions {
  readonly eachBytes: number
  readonly inAllBytes: number
}

export const createScrollbacks = ({ eachBytes, inAllBytes }: ScrollbacksOptions) => {
  const rings = new Set<ReturnType<typeof createRing>>()
  const share = () => Math.max(smallest, Math.min(eachBytes, Math.floor(inAllBytes / rings.size)))
  const shareOut = () => {
    for (const ring of rings) ring.limitTo(share())
  }
  return {
    create: (): Scrollback & { drop(): void } => {
      const ring = createRing(eachBytes)
      rings.add(ring)
      shareOut()
      return {
        ...ring,
        drop: () => {
          if (rings.delete(ring) && rings.size > 0) shareOut()
        },
      }
    },
  }
}

export type Scrollbacks = ReturnType<typeof createScrollbacks>
