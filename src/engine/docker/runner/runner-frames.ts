// The frames that are sent to a runner (runner.pl) and received from it.
//
//   to it    R run      timeout ms, cap of each stream, how much of it is for the end, latest moment to start (ms since its
//                       hello); then, each after its length: working directory, input, arguments
//            C cancel   the time of the command is over now
//   from it  H hello    it runs
//            S started  pid of the process, inside the container
//            F refused  the command was not started and will not be
//            O E        bytes of standard output, standard error
//            X ended    one byte exit code, one byte whether it timed out, bytes written to each stream (as doubles)

import { createFrameReader as createReader, encodeFrame, frameTypes, numberBytes } from '../frames.ts'

const letters = { hello: 'H', run: 'R', cancel: 'C', started: 'S', refused: 'F', stdout: 'O', stderr: 'E', ended: 'X' }
const { hello, run, cancel, started, refused, stdout, stderr, ended } = frameTypes(letters)
const shapes = {
  whole: new Map([
    [hello, 0],
    [started, 4],
    [refused, 0],
    [ended, 18],
  ]),
  streamed: new Set([stdout, stderr]),
}

export interface RunFrame {
  readonly argv: readonly string[]
  readonly input: Buffer
  readonly workingDirectory: string
  readonly timeoutMs: number
  readonly outputBytes: number
  readonly tailBytes: number
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

const measured = (value: string | Buffer) => [numberBytes(Buffer.byteLength(value)), Buffer.from(value)]

export const encodeRun = (id: number, frame: RunFrame): Buffer =>
  encodeFrame(
    run,
    id,
    Buffer.concat([
      ...[frame.timeoutMs, frame.outputBytes, frame.tailBytes, frame.beginBeforeMs].map(numberBytes),
      ...[frame.workingDirectory, frame.input, ...frame.argv].flatMap(measured),
    ]),
  )

export const encodeCancel = (id: number): Buffer => encodeFrame(cancel, id, Buffer.alloc(0))

const countIn = (payload: Buffer, offset: number): number => {
  const value = payload.readDoubleBE(offset)
  return Number.isSafeInteger(value) && value >= 0 ? value : 0
}

const decode = (type: number, id: number, payload: Buffer): Frame => {
  if (type === hello) return { kind: 'hello' }
  if (type === started) return { kind: 'started', id, leader: payload.readUInt32BE(0) }
  if (type === refused) return { kind: 'refused', id }
  const [exitCode, timedOut] = [payload.readUInt8(0), payload.readUInt8(1) !== 0]
  return { kind: 'ended', id, exitCode, timedOut, stdoutBytes: countIn(payload, 2), stderrBytes: countIn(payload, 10) }
}

export interface FrameEvents {
  readonly frame: (frame: Frame) => void
  /** The input is not a valid frame. Called once; nothing is read afterwards. */
  readonly garbage: () => void
}

/** Accepts the stream in chunks of any size. Output is passed on as it arrives. */
export const createFrameReader = ({ frame, garbage }: FrameEvents) =>
  createReader(shapes, {
    whole: (type, id, payload) => frame(decode(type, id, payload)),
    bytes: (type, id, bytes) => frame({ kind: 'output', id, stream: type === stdout ? 'stdout' : 'stderr', bytes }),
    garbage,
  })
