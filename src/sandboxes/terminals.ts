// Interactive shells in the services of a sandbox. What is typed waits while the sandbox is being graded.
// Knows neither who asks nor how keystrokes arrive.

import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { type TerminalHello, terminalLimits } from '../contract/terminal.ts'
import type { Engine, Terminal } from '../engine/engine.ts'
import { LabError } from '../errors.ts'
import type { Evaluations } from '../grading/evaluations.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { endingOf, requireRunning, serviceIn } from './access.ts'

export interface Shell {
  readonly container: string
  readonly expiresAt: string
  /** What the shell prints; pausing it holds the shell back. It ends, or closes, with the shell. */
  readonly output: Readable
  /** Resolves when the shell's side has taken it, or is gone. */
  write(keystrokes: Buffer): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** Why the sandbox, and the shell with it, has ended; null when only the shell has. */
  ending(): Promise<string | null>
  /** Ends the shell and what it runs in the foreground. Idempotent. */
  close(): Promise<void>
}

export type Warn = (text: string) => void

const argv = ['sh', '-c', 'if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi']
const noticeableMs = 300
const reminderMinutes = [5, 1]
const reminderPauseMs = 15_000

export interface TerminalsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly evaluations: Evaluations
  readonly clock: Clock
}

export const createTerminals = ({ store, engine, evaluations, clock }: TerminalsDeps) => {
  const shells = new Set<Shell>()
  const places = new Map<string, number>()

  const takePlace = (sandbox: string) => {
    const taken = places.get(sandbox) ?? 0
    if (taken >= terminalLimits.perSandbox) {
      throw new LabError('capacity_exhausted', `this sandbox has ${taken} terminals already`, { hint: 'close one first' })
    }
    places.set(sandbox, taken + 1)
  }
  const leavePlace = (sandbox: string) => {
    const rest = (places.get(sandbox) ?? 1) - 1
    if (rest === 0) places.delete(sandbox)
    else places.set(sandbox, rest)
  }

  const waitForGrading = async (sandbox: string, warn: Warn) => {
    const notice = setTimeout(() => warn('the sandbox is being graded; the shell waits until that is done'), noticeableMs)
    await evaluations.idle(sandbox)
    clearTimeout(notice)
  }

  /** Says when the end is near; the end may move meanwhile. */
  const remind = async (sandbox: string, warn: Warn, signal: AbortSignal) => {
    const due = [...reminderMinutes]
    while (due.length > 0) {
      const row = await store.find(sandbox)
      if (row === null || signal.aborted) return
      const minutesLeft = (Date.parse(row.expires_at) - clock.now().getTime()) / 60_000
      const passed = due.filter((minutes) => minutesLeft <= minutes).at(-1)
      if (passed !== undefined) {
        warn(`less than ${passed === 1 ? 'a minute' : `${passed} minutes`} left`)
        due.splice(0, due.indexOf(passed) + 1)
      }
      await clock.sleep(reminderPauseMs, signal)
    }
  }

  const toShell = (row: SandboxRow, container: string, { stream, resize, close }: Terminal, warn: Warn): Shell => {
    const life = new AbortController()
    let closed: Promise<void> | undefined
    stream.on('error', () => stream.destroy())
    stream.once('close', () => life.abort())
    remind(row.id, warn, life.signal).catch(() => undefined) // a reminder that fails is no reason to end a shell
    const shell: Shell = {
      container,
      expiresAt: row.expires_at,
      output: stream,
      write: async (keystrokes) => {
        await waitForGrading(row.id, warn)
        await new Promise<void>((resolve) => stream.write(keystrokes, () => resolve()))
      },
      resize,
      ending: async () => {
        const now = await store.find(row.id)
        return now === null ? null : endingOf(now)
      },
      close: () => {
        const end = async () => {
          life.abort()
          try {
            await close()
          } finally {
            stream.destroy()
            shells.delete(shell)
            leavePlace(row.id)
          }
        }
        closed ??= end()
        return closed
      },
    }
    shells.add(shell)
    return shell
  }

  return {
    /** Throws sandbox_not_running, container_not_running, invalid_request, capacity_exhausted. */
    open: async (row: SandboxRow, request: Omit<TerminalHello, 'session_id' | 'token'>, warn: Warn): Promise<Shell> => {
      requireRunning(row)
      const service = serviceIn(row, request.container)
      takePlace(row.id)
      try {
        await waitForGrading(row.id, warn)
        const terminal = await engine.terminal({ sandbox: row.id, service }, { argv, columns: request.columns, rows: request.rows })
        return toShell(row, service, terminal, warn)
      } catch (error) {
        leavePlace(row.id)
        throw error
      }
    },

    /** Ends every shell. */
    close: async (): Promise<void> => {
      await Promise.allSettled([...shells].map((shell) => shell.close()))
    },
  }
}

export type Terminals = ReturnType<typeof createTerminals>
