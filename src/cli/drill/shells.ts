// The current shell of the player, and switching to another container. Late output of an earlier shell is dropped. After a lost
// connection it reconnects to the same shell if that still runs, else to a new one.

import { systemClock } from '../../clock.ts'
import { isLabError, type LabError } from '../../errors.ts'
import type { Screen } from './screen.ts'
import { openShell, type RemoteShell, type ShellEnd } from './session.ts'

export interface ShellsOptions {
  readonly url: string
  readonly token: string
  readonly sessionId: string
  readonly screen: Screen
  /** A warning of the server. */
  readonly warn: (text: string) => void
  /** How the connection is; undefined when all is well. */
  readonly say: (text: string | undefined, milliseconds?: number) => void
  /** What is printed above a shell that follows another. */
  readonly heading: (container: string) => string
  /** What is printed above a shell that replaces one which did not outlive its connection. */
  readonly replaced: (container: string, wasStopped: boolean) => string
  readonly ended: (container: string, end: 'exit' | LabError) => void
}

const answerMs = 1_000
const aheadChunks = 1_000
const retryMs = 1_000
/** Long enough for a shell to be kept by the server, and for the server to restart. */
const retries = 180
const awayMs = 600_000

export const createShells = ({ url, token, sessionId, screen, warn, say, heading, replaced, ended }: ShellsOptions) => {
  let current: RemoteShell | undefined
  let isOver = false
  let isEntering = false
  /** Input typed after a shell had ended, or while it was disconnected; it is sent to the next one. */
  let ahead: Buffer[] = []
  let heard: () => void = () => undefined

  const resize = () => {
    const { columns, rows } = screen.size()
    current?.resize(columns, rows)
  }
  const open = (container: string, back: { terminal_id?: string; offset?: number } = {}) =>
    openShell(url, { session_id: sessionId, token, container, ...back, ...screen.size() }, warn)

  const show = (shell: RemoteShell) => {
    current = shell
    shell.listen((chunk) => {
      if (current !== shell) return
      screen.output(chunk)
      heard()
    })
    shell.ended.then((end) => {
      if (current !== shell) return
      isOver = true
      if (end === 'stopped' || end === 'lost') comeBack(shell, end).catch((error: LabError) => ended(shell.container, error))
      else ended(shell.container, end)
    })
    isOver = false
    for (const keystrokes of ahead) shell.send(keystrokes)
    ahead = []
  }

  /** Retries until the server answers. Returns the shell, or that it has ended; null when the player has switched meanwhile. */
  const reach = async (lost: RemoteShell): Promise<RemoteShell | 'gone' | 'gone with the server' | null> => {
    for (let attempt = 0; ; attempt += 1) {
      if (current !== lost) return null
      try {
        return await open(lost.container, { terminal_id: lost.terminalId, offset: lost.seen() })
      } catch (error) {
        if (isLabError(error, 'not_found')) return attempt === 0 ? 'gone' : 'gone with the server'
        if (!isLabError(error, 'engine_unavailable') || attempt === retries) throw error
      }
      await systemClock.sleep(retryMs)
    }
  }

  const comeBack = async (lost: RemoteShell, how: ShellEnd): Promise<void> => {
    say(how === 'stopped' ? 'the server has stopped; waiting for it …' : 'the connection is lost; trying again …', awayMs)
    try {
      const found = await reach(lost)
      if (found === null) return
      if (typeof found !== 'string') return show(found)
      ahead = [] // meant for a shell that has ended
      const next = await open(lost.container)
      screen.settle()
      await screen.print(replaced(lost.container, how === 'stopped' || found !== 'gone'))
      show(next)
    } catch (error) {
      if (!isLabError(error, 'sandbox_not_running')) throw error
      ended(lost.container, 'exit')
    } finally {
      say(undefined)
    }
  }

  return {
    container: () => current?.container,
    send: (keystrokes: Buffer): void => {
      if (isOver) ahead = [...ahead, keystrokes].slice(-aheadChunks)
      else current?.send(keystrokes)
    },
    resize,

    /** Opens a shell and leaves the current one; on failure the current one stays. */
    enter: async (container: string): Promise<void> => {
      if (isEntering) return
      isEntering = true
      say(`opening a shell on ${container} …`)
      try {
        const next = await open(container)
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

    /** Makes the program in the shell redraw, by resizing the terminal twice. */
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
