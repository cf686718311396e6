// One shell and whoever looks at it. The shell outlives a connection that dropped: its output goes on into the scrollback,
// and the next viewer gets from there what it missed. At most one viewer at a time; the latest wins.

import type { Terminal } from '../../engine/engine.ts'
import type { CastRecording } from '../record/recorder.ts'
import type { OutputThrottle } from './output-throttle.ts'
import type { Replay, Scrollbacks } from './scrollback.ts'

export interface Viewer {
  output(chunk: Buffer): void
  warn(text: string): void
  /** The shell has ended; with its sandbox, if there is a reason. */
  ended(why: string | null): void
  /** Somebody else looks at the shell now. */
  replaced(): void
}

export interface Shell {
  readonly id: string
  readonly sandbox: string
  readonly container: string
  /** Takes the shell over. What is handed back comes first; everything later goes to the viewer. */
  attach(viewer: Viewer, offset: number): Replay
  /** Ends the shell, or keeps it for a while when its viewer was lost. Means nothing from a viewer that was replaced. */
  leave(viewer: Viewer, how: 'done' | 'lost'): Promise<void>
  /** While a viewer cannot take more, the shell stands still. */
  hold(viewer: Viewer, isFull: boolean): void
  /** Resolves when the shell's side has taken it, or is gone. */
  write(keystrokes: Buffer): Promise<void>
  /** Keystrokes that come later find the new size. */
  resize(columns: number, rows: number): Promise<void>
  /** How many bytes it has printed. */
  printed(): number
  /** Since when nobody looks at it; null while somebody does. */
  lostAt(): number | null
  /** Ends the shell and what it runs in the foreground. Idempotent. */
  close(): Promise<void>
}

export interface ShellOptions {
  readonly id: string
  readonly sandbox: string
  readonly container: string
  readonly terminal: Terminal
  readonly scrollbacks: Scrollbacks
  readonly outputThrottle: OutputThrottle
  readonly recording: CastRecording
  readonly lingerMs: number
  readonly now: () => number
  /** Waits until the shell may be typed into. */
  readonly idle: (warn: Viewer['warn']) => Promise<void>
  /** Reminds the viewer of the end until it is called off. */
  readonly remind: (warn: Viewer['warn'], signal: AbortSignal) => Promise<void>
  /** Why the sandbox has ended; null when only the shell has. */
  readonly ending: () => Promise<string | null>
  readonly ended: (shell: Shell) => void
}

/** A terminal at its fastest, seen and unseen. */
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
  let size: { readonly columns: number; readonly rows: number } | undefined
  let resizing: Promise<void> | undefined

  const look = (next: Viewer | undefined) => {
    reminders?.abort()
    clearTimeout(linger)
    viewer = next
    lost = next === undefined ? now() : null
    lane.limitTo(next === undefined ? unseenBytesPerSecond : seenBytesPerSecond)
    lane.release()
  }

  const end = async () => {
    const last = viewer
    look(undefined)
    lane.leave()
    scrollback.drop()
    recording.close()
    const why = await options.ending().catch(() => null) // the end itself is known
    last?.ended(why)
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
  /** For when nobody waits: an engine that is away is told about elsewhere, and the container ends one day. */
  const closeUnheard = () => void close().catch(() => undefined)

  /** Of many sizes in a row only the latest counts. */
  const fit = async () => {
    for (let next = size; next !== undefined; next = size) {
      size = undefined
      recording.resize(next.columns, next.rows)
      await terminal.resize(next.columns, next.rows)
    }
  }

  stream.on('data', (chunk: Buffer) => {
    scrollback.append(chunk)
    recording.output(chunk)
    viewer?.output(chunk)
    lane.spend(chunk.length)
  })
  stream.on('error', () => stream.destroy())
  for (const event of ['end', 'close']) stream.once(event, closeUnheard)

  const shell: Shell = {
    id: options.id,
    sandbox: options.sandbox,
    container: options.container,
    attach: (next, offset) => {
      viewer?.replaced()
      look(next)
      const watch = new AbortController()
      reminders = watch
      options.remind(next.warn, watch.signal).catch(() => undefined) // one that fails is no reason to end a shell
      if (closing !== undefined) queueMicrotask(() => next.ended(null))
      return scrollback.since(offset)
    },
    leave: async (one, how) => {
      if (viewer !== one) return
      if (how === 'done') return close()
      look(undefined)
      linger = setTimeout(closeUnheard, options.lingerMs)
    },
    hold: (one, isFull) => {
      if (viewer !== one) return
      if (isFull) lane.hold()
      else lane.release()
    },
    write: async (keystrokes) => {
      await resizing?.catch(() => undefined)
      await options.idle((text) => viewer?.warn(text))
      await new Promise<void>((resolve) => stream.write(keystrokes, () => resolve()))
    },
    resize: (columns, rows) => {
      size = { columns, rows }
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
