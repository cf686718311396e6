// The binary framing between the service and a helper program in a container. A user of the sandbox may have replaced that program,
// so lengths are checked before anything is kept, and at most one small frame is buffered. Knows nothing of what frames mean.
//
// Frame: one byte type, four bytes id, four bytes length, payload.

/** The length of a frame without payload. */
export const frameBytes = 9
/** The most that one frame of a stream carries. */
export const largestPayload = 65_536

/** The type of a frame is the code of one letter. */
export const frameType = (letter: string): number => letter.charCodeAt(0)

export const frameTypes = <Name extends string>(letters: Readonly<Record<Name, string>>): Readonly<Record<Name, number>> =>
  Object.fromEntries(Object.entries<string>(letters).map(([name, letter]) => [name, frameType(letter)])) as Record<Name, number>

/** An unsigned 32-bit integer; larger values are clamped. */
export const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Math.min(Math.max(Math.ceil(value), 0), 0xffffffff))
  return bytes
}

export const encodeFrame = (type: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([type]), numberBytes(id), numberBytes(payload.length), payload])

export interface FrameShapes {
  /** Types of frames that are read as a whole, and the exact length of each. */
  readonly whole: ReadonlyMap<number, number>
  /** Types of frames with one byte to `largestPayload`, whose payload is passed on as it arrives. */
  readonly streamed: ReadonlySet<number>
}

export interface FrameEvents {
  readonly whole: (type: number, id: number, payload: Buffer) => void
  readonly bytes: (type: number, id: number, bytes: Buffer) => void
  /** The input is not a valid frame. Called once; nothing is read afterwards. */
  readonly garbage: () => void
}

/** Accepts the stream in chunks of any size. */
export const createFrameReader = (shapes: FrameShapes, events: FrameEvents) => {
  let held = Buffer.alloc(0)
  let streamLeft = 0
  let stream = { type: 0, id: 0 }
  let broken = false

  /** How many bytes of the frame in `held` are needed before it can be processed; null for an invalid frame. */
  const needed = (): number | null => {
    if (held.length < frameBytes) return frameBytes
    const [type, length] = [held.readUInt8(0), held.readUInt32BE(5)]
    if (shapes.streamed.has(type)) return length > 0 && length <= largestPayload ? frameBytes : null
    return shapes.whole.get(type) === length ? frameBytes + length : null
  }

  const handleHeld = () => {
    const [type, id] = [held.readUInt8(0), held.readUInt32BE(1)]
    const payload = held.subarray(frameBytes)
    if (shapes.streamed.has(type)) {
      streamLeft = held.readUInt32BE(5)
      stream = { type, id }
    }
    held = Buffer.alloc(0)
    if (streamLeft === 0) events.whole(type, id, payload)
  }

  return (chunk: Buffer): void => {
    let rest = chunk
    while (rest.length > 0 && !broken) {
      if (streamLeft > 0) {
        const bytes = rest.subarray(0, streamLeft)
        streamLeft -= bytes.length
        rest = rest.subarray(bytes.length)
        events.bytes(stream.type, stream.id, bytes)
        continue
      }
      const wanted = needed() as number
      const part = rest.subarray(0, wanted - held.length)
      held = Buffer.concat([held, part])
      rest = rest.subarray(part.length)
      const complete = needed()
      if (complete === null) {
        broken = true
        events.garbage()
      } else if (held.length === complete) {
        handleHeld()
      }
    }
  }
}
