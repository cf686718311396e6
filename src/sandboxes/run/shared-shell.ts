// One shell, its viewer and those who follow. The shell outlives a lost connection: its output is kept in the scrollback, and the next
// viewer receives what it missed. There is at most one viewer at a time, who has the say over size and pace; a new one replaces the last.
// A follower reads from the scrollback at its own pace, so a slow one misses output and holds nobody up.

import type { Terminal } from '../../engine/engine.ts'
import type { CastRecording } from '../record/recorder.ts'
import type { OutputThrottle } from './output-throttle.ts'
import type { Replay, Scrollbacks } from './scrollback.ts'

export interface Viewer {
  output(chunk: Buffer): void
  warn(text: string): void
  /** The shell has ended; `why` is given if its sandbox has ended. */
  ended(why: string | null): void
  /** Another viewer has taken over the shell. */
  replaced(): void
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

export interface Follower {
  /** There is more in the scrollback. */
  more(): void
  resized(size: Size): void
  warn(text: string): void
  ended(why: string | null): void
}

export interface Shell {
  readonly id: string
  readonly sandbox: string
  readonly container: string
  /** Takes the shell over. Returns the output missed so far; later output goes to the viewer. */
  attach(viewer: Viewer, offset: number): Replay
  /** Ends the shell, or keeps it for a while if the connection was lost. Ignored from a viewer that was replaced. */
  leave(viewer: Viewer, how: 'done' | 'lost'): Promise<void>
  /** From now on the follower is told when there is more. Returns a function that ends it. */
  follow(follower: Follower): () => void
  /** The kept output from this offset on. */
  since(offset: number): Replay
  size(): Size
  /** While the viewer cannot receive more, the output of the shell is not read. */
  hold(viewer: Viewer, isFull: boolean): void
  /** Resolves when the shell has accepted the input, or has ended. `warn` is told why it waits; `mayType` is asked after the wait. */
  write(keystrokes: Buffer, warn: Viewer['warn'], mayType: () => boolean): Promise<void>
  /** Applied before later keystrokes. */
  resize(columns: number, rows: number): Promise<void>
  /** How many bytes it has printed. */
  printed(): number
  /** Since when it has no viewer; null while it has one. */
  lostAt(): number | null
  /** Ends the shell and what it runs in the foreground. Idempotent. */
  close(): Promise<void>
}

export interface ShellOptions {
  readonly id: string
  readonly sandbox: string
  readonly container: string
  readonly terminal: Terminal
  readonly size: Size
  readonly scrollbacks: Scrollbacks
  readonly outputThrottle: OutputThrottle
  readonly recording: CastRecording
  readonly lingerMs: number
  readonly now: () => number
  /** Waits while the sandbox is being graded. */
  readonly idle: (warn: Viewer['warn']) => Promise<void>
  /** Warns the viewer before the sandbox expires, until it is aborted. */
  readonly remind: (warn: Viewer['warn'], signal: AbortSignal) => Promise<void>
  /** Why the sandbox has ended; null when only the shell has. */
  readonly ending: () => Promise<string | null>
  /** Its viewer has come or gone. */
  readonly viewed: () => void
  readonly ended: (shell: Shell) => void
}

/** The highest output rate of a terminal, with and without a viewer. */
const seenBytesPerSecond = 4 * 1024 * 1024
const unseenBytesPerSecond = 1024 * 1024

export const createShell = (options: ShellOptions): Shell => {
  const { terminal, outputThrottle, recording, now } = options
  const { stream } = terminal
  const scrollback = options.scrollbacks.create()
  const lane = outputThrottle.join(stream, seenBytesPerSecond)
  let viewer: Viewer | undefined
  let reminders: AbortController | undefined
  let lost: number | null = null
  let linger: NodeJS.Timeout | undefined
  let closing: Promise<void> | undefined
  /** The one that it is to have next. */
  let wanted: Size | undefined
  let size = options.size
  const followers = new Set<Follower>()
  let resizing: Promise<void> | undefined

  const setViewer = (next: Viewer | undefined) => {
    reminders?.abort()
    clearTimeout(linger)
    viewer = next
    lost = next === undefined ? now() : null
    lane.limitTo(next === undefined ? unseenBytesPerSecond : seenBytesPerSecond)
    lane.release()
    options.viewed()
  }

  const end = async () => {
    const last = viewer
    setViewer(undefined)
    lane.leave()
    scrollback.drop()
    recording.close()
    const why = await options.ending().catch(() => null) // only the reason is unknown then
    last?.ended(why)
    for (const follower of [...followers]) follower.ended(why)
    try {
      await terminal.close()
    } finally {
      stream.destroy()
      options.ended(shell)
    }
  }
  const close = (): Promise<void> => {
    closing ??= end()
    return closing
  }
  /** Ignores errors: an unavailable engine is reported elsewhere, and the shell ends with its container at the latest. */
  const closeQuietly = () => void close().catch(() => undefined)

  /** Of several resizes in a row only the last is applied. */
  const fit = async () => {
    for (let next = wanted; next !== undefined; next = wanted) {
      wanted = undefined
      size = next
      recording.resize(next.columns, next.rows)
      for (const follower of followers) follower.resized(next)
      await terminal.resize(next.columns, next.rows)
    }
  }

  stream.on('data', (chunk: Buffer) => {
    scrollback.append(chunk)
    viewer?.output(chunk) // first, since somebody may wait for the echo of a key
    recording.output(chunk)
    for (const follower of followers) follower.more()
    lane.spend(chunk.length) // what followers are sent is counted when they are sent it
  })
  stream.on('error', () => stream.destroy())
  for (const event of ['end', 'close']) stream.once(event, closeQuietly)

  const shell: Shell = {
    id: options.id,
    sandbox: options.sandbox,
    container: options.container,
    attach: (next, offset) => {
      viewer?.replaced()
      setViewer(next)
      const watch = new AbortController()
      reminders = watch
      options.remind(next.warn, watch.signal).catch(() => undefined) // a failed reminder does not end the shell
      if (closing !== undefined) queueMicrotask(() => next.ended(null))
      return scrollback.since(offset)
    },
    leave: async (one, how) => {
      if (viewer !== one) return
      if (how === 'done') return close()
      setViewer(undefined)
      linger = setTimeout(closeQuietly, options.lingerMs)
    },
    hold: (one, isFull) => {
      if (viewer !== one) return
      if (isFull) lane.hold()
      else lane.release()
    },
    follow: (follower) => {
      followers.add(follower)
      if (closing !== undefined) queueMicrotask(() => follower.ended(null))
      return () => void followers.delete(follower)
    },
    since: scrollback.since,
    size: () => size,
    write: async (keystrokes, warn, mayType) => {
      await resizing?.catch(() => undefined)
      await options.idle(warn)
      if (!mayType()) return
      await new Promise<void>((resolve) => stream.write(keystrokes, () => resolve()))
    },
    resize: (columns, rows) => {
      wanted = { columns, rows }
      resizing ??= fit().finally(() => {
        resizing = undefined
      })
      return resizing
    },
    printed: scrollback.end,
    lostAt: () => lost,
    close,
  }
  return shell
}
