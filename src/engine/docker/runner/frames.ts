// What is said to and by a runner (runner.pl), which a user of the sandbox may have replaced: nothing that it says is believed
// before it was measured, and no more of it is held than one small frame.
//
// Frame: one byte type, four bytes number of the command, four bytes length, payload.
//   to it    R run      timeout ms, cap of each stream, last moment to begin (ms since its hello); then, each after its
//                       length: working directory, input, arguments
//   from it  H hello    it is there
//            S started  number of the process, inside the container
//            F refused  the command was not begun and will not be
//            O E        bytes of standard output, standard error
//            X ended    one byte exit code, one byte whether its time ran out, bytes written to each stream (as doubles)

/** Without payload. */
export const frameBytes = 9
const largestOutput = 65_536
const type = (letter: string) => letter.charCodeAt(0)
const [hello, run, started, refused, stdout, stderr, ended] = ['H', 'R', 'S', 'F', 'O', 'E', 'X'].map(type) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
/** The payload of each frame that is read as a whole. */
const lengths = new Map([
  [hello, 0],
  [started, 4],
  [refused, 0],
  [ended, 18],
])

export interface RunFrame {
  readonly argv: readonly string[]
  readonly input: Buffer
  readonly workingDirectory: string
  readonly timeoutMs: number
  readonly outputBytes: number
  readonly beginBeforeMs: number
}

export type Frame =
  | { readonly kind: 'hello' }
  | { readonly kind: 'started'; readonly id: number; readonly leader: number }
  | { readonly kind: 'refused'; readonly id: number }
  | { readonly kind: 'output'; readonly id: number; readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  | {
      readonly kind: 'ended'
      readonly id: number
      readonly exitCode: number
      readonly timedOut: boolean
      readonly stdoutBytes: number
      readonly stderrBytes: number
    }

const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Math.min(Math.max(Math.ceil(value), 0), 0xffffffff))
  return bytes
}
const measured = (value: string | Buffer) => [number(Buffer.byteLength(value)), Buffer.from(value)]

export const encodeRun = (id: number, frame: RunFrame): Buffer => {
  const payload = Buffer.concat([
    ...[frame.timeoutMs, frame.outputBytes, frame.beginBeforeMs].map(number),
    ...[frame.workingDirectory, frame.input, ...frame.argv].flatMap(measured),
  ])
  return Buffer.concat([Buffer.from([run]), number(id), number(payload.length), payload])
}

const countIn = (payload: Buffer, offset: number): number => {
  const value = payload.readDoubleBE(offset)
  return Number.isSafeInteger(value) && value >= 0 ? value : 0
}

const decode = (frameType: number, id: number, payload: Buffer): Frame => {
  if (frameType === hello) return { kind: 'hello' }
  if (frameType === started) return { kind: 'started', id, leader: payload.readUInt32BE(0) }
  if (frameType === refused) return { kind: 'refused', id }
  const [exitCode, timedOut] = [payload.readUInt8(0), payload.readUInt8(1) !== 0]
  return { kind: 'ended', id, exitCode, timedOut, stdoutBytes: countIn(payload, 2), stderrBytes: countIn(payload, 10) }
}

export interface FrameEvents {
  readonly frame: (frame: Frame) => void
  /** What came is no frame. Said once; nothing is read after it. */
  readonly garbage: () => void
}

/** Takes the stream in whatever pieces it comes. Output is handed on as it comes, never gathered. */
export const createFrameReader = (events: FrameEvents) => {
  let held = Buffer.alloc(0)
  let outputLeft = 0
  let output: { id: number; stream: 'stdout' | 'stderr' } = { id: 0, stream: 'stdout' }
  let broken = false

  /** How many bytes the frame in `held` needs before it says anything, or null for what is no frame. */
  const needed = (): number | null => {
    if (held.length < frameBytes) return frameBytes
    const [frameType, length] = [held.readUInt8(0), held.readUInt32BE(5)]
    if (frameType === stdout || frameType === stderr) return length > 0 && length <= largestOutput ? frameBytes : null
    return lengths.get(frameType) === length ? frameBytes + length : null
  }

  const handleHeld = () => {
    const [frameType, id] = [held.readUInt8(0), held.readUInt32BE(1)]
    if (frameType === stdout || frameType === stderr) {
      outputLeft = held.readUInt32BE(5)
      output = { id, stream: frameType === stdout ? 'stdout' : 'stderr' }
    } else {
      events.frame(decode(frameType, id, held.subarray(frameBytes)))
    }
    held = Buffer.alloc(0)
  }

  return (chunk: Buffer): void => {
    let rest = chunk
    while (rest.length > 0 && !broken) {
      if (outputLeft > 0) {
        const bytes = rest.subarray(0, outputLeft)
        outputLeft -= bytes.length
        rest = rest.subarray(bytes.length)
        events.frame({ kind: 'output', ...output, bytes })
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
