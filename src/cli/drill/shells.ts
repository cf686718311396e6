// The shell that the player is in, and the way to another one. One at a time; what an earlier one still prints is dropped.

import { systemClock } from '../../clock.ts'
import type { LabError } from '../../errors.ts'
import type { Screen } from './screen.ts'
import { openShell, type RemoteShell } from './session.ts'

export interface ShellsOptions {
  readonly url: string
  readonly token: string
  readonly sessionId: string
  readonly screen: Screen
  readonly say: (text: string | undefined) => void
  /** What is printed above a shell that follows another. */
  readonly heading: (container: string) => string
  readonly ended: (container: string, end: 'exit' | LabError) => void
}

const answerMs = 1_000
const aheadChunks = 1_000

export const createShells = ({ url, token, sessionId, screen, say, heading, ended }: ShellsOptions) => {
  let current: RemoteShell | undefined
  let isOver = false
  let isEntering = false
  /** What was typed after a shell had ended; the next one gets it. */
  let ahead: Buffer[] = []
  let heard: () => void = () => undefined

  const resize = () => {
    const { columns, rows } = screen.size()
    current?.resize(columns, rows)
  }

  const show = (shell: RemoteShell) => {
    shell.listen((chunk) => {
      if (current !== shell) return
      screen.output(chunk)
      heard()
    })
    shell.ended.then((end) => {
      if (current !== shell) return
      isOver = true
      ended(shell.container, end)
    })
    isOver = false
    for (const keystrokes of ahead) shell.send(keystrokes)
    ahead = []
  }

  return {
    container: () => current?.container,
    send: (keystrokes: Buffer): void => {
      if (isOver) ahead = [...ahead, keystrokes].slice(-aheadChunks)
      else current?.send(keystrokes)
    },
    resize,

    /** Opens a shell and leaves the one before; when it cannot be opened, that one stays. */
    enter: async (container: string): Promise<void> => {
      if (isEntering) return
      isEntering = true
      say(`opening a shell on ${container} …`)
      try {
        const next = await openShell(url, { session_id: sessionId, token, container, ...screen.size() }, say)
        const previous = current
        current = next
        previous?.close()
        screen.settle()
        if (previous !== undefined) await screen.print(heading(container))
        show(next)
        resize()
      } finally {
        isEntering = false
        say(undefined)
      }
    },

    /** Has whatever runs in the shell draw its prompt or page again: it answers a change of size, and then there is another. */
    redraw: async (): Promise<void> => {
      const { columns, rows } = screen.size()
      const answer = new Promise<void>((resolve) => {
        heard = resolve
      })
      current?.resize(columns, Math.max(1, rows - 1))
      await Promise.race([answer, systemClock.sleep(answerMs)])
      resize()
    },

    close: () => {
      const last = current
      current = undefined
      last?.close()
    },
  }
}
