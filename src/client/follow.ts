// Follows the events of a sandbox to its end. A connection that breaks, or is silent for too long, is opened again: every connection
// begins with a snapshot, so nothing is missed.

import type { z } from 'zod'
import { type SandboxEvent, type SandboxEventName, sandboxEvents } from '../contract/event.ts'
import { LabError } from '../errors.ts'
import { readEventStream } from './event-stream-reader.ts'

export interface FollowOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Called with true when a connection is open, with false when it was lost and will be opened again. */
  readonly onConnection?: (isOpen: boolean) => void
}

/** Three heartbeats of the server. */
const silenceMs = 45_000
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000]

const toEvent = (event: string, data: string): SandboxEvent | null => {
  if (!Object.hasOwn(sandboxEvents, event)) return null // of a newer server
  const shape: z.ZodType = sandboxEvents[event as SandboxEventName]
  return { event, data: shape.parse(JSON.parse(data)) } as SandboxEvent
}

const wait = (milliseconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

/** Refusals that pass by themselves; others are thrown. */
const passes = (error: unknown) =>
  !(error instanceof LabError) || ['engine_unavailable', 'shutting_down', 'rate_limited'].includes(error.code)

/** `connect` throws a LabError when the server refuses. */
export async function* followSandbox(
  connect: (signal: AbortSignal) => Promise<Response>,
  { signal, onConnection = () => undefined }: FollowOptions = {},
): AsyncGenerator<SandboxEvent> {
  const isOver = () => signal?.aborted === true
  let isOpen: boolean | undefined
  const tell = (now: boolean) => {
    if (now !== isOpen) onConnection(now)
    isOpen = now
  }
  for (let failures = 0; !isOver(); failures += 1) {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const listen = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
    }
    try {
      listen()
      const response = await connect(signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]))
      if (response.body === null) return // the sandbox has ended
      tell(true)
      for await (const { event, data } of readEventStream(response.body, listen)) {
        failures = 0
        const parsed = toEvent(event, data)
        if (parsed === null) continue
        yield parsed
        if (parsed.event === 'end' || parsed.event === 'removed') return
      }
    } catch (error) {
      if (isOver()) return
      if (!passes(error)) throw error
    } finally {
      clearTimeout(timer)
      silence.abort()
    }
    if (isOver()) return
    tell(false)
    await wait(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0, signal)
  }
}
