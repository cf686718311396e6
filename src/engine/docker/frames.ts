// Frames between the service and a program of ours in a container, which a user of the sandbox may have replaced: nothing that
// comes is believed before it was measured, and no more of it is held than one small frame. Knows no meaning of a frame.
//
// Frame: one byte type, four bytes number, four bytes length, payload.

/** Without payload. */
export const frameBytes = 9
/** The most that one frame of a stream carries. */
export const largestPayload = 65_536

/** Each kind of frame is known by one letter. */
export const frameType = (letter: string): number => letter.charCodeAt(0)

export const frameTypes = <Name extends string>(letters: Readonly<Record<Name, string>>): Readonly<Record<Name, number>> =>
  Object.fromEntries(Object.entries<string>(letters).map(([name, letter]) => [name, frameType(letter)])) as Record<Name, number>

/** Four bytes, as near to the value as they can say. */
export const numberBytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Math.min(Math.max(Math.ceil(value), 0), 0xffffffff))
  return bytes
}

export const encodeFrame = (type: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([type]), numberBytes(id), numberBytes(payload.length), payload])

export interface FrameShapes {
  /** The exact length of each frame that is read as a whole. */
  readonly whole: ReadonlyMap<number, number>
  /** Frames of one byte to `largestPayload`, which are handed on as they come and never gathered. */
  readonly streamed: ReadonlySet<number>
}

export interface FrameEvents {
  readonly whole: (type: number, id: number, payload: Buffer) => void
  readonly bytes: (type: number, id: number, bytes: Buffer) => void
  /** What came is no frame. Said once; nothing is read after it. */
  readonly garbage: () => void
}

/** Takes the stream in whatever pieces it comes. */
export const createFrameReader = (shapes: FrameShapes, events: FrameEvents) => {
  let held = Buffer.alloc(0)
  let streamLeft = 0
  let stream = { type: 0, id: 0 }
  let broken = false

  /** How many bytes the frame in `held` needs before it says anything, or null for what is no frame. */
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
