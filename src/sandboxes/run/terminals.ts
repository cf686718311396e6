// Interactive shells in the services of a sandbox: opens new ones, and reconnects to existing ones. Input waits while the sandbox is
// being graded. Knows nothing of callers and WebSockets.

import { type Clock, elapsedMs } from '../../clock.ts'
import type { OpenTerminals } from '../../contract/event.ts'
import { type TerminalHello, terminalLimits } from '../../contract/terminal.ts'
import type { Engine } from '../../engine/engine.ts'
import { LabError } from '../../errors.ts'
import type { GradingLock } from '../../grading/grading-lock.ts'
import { createId } from '../../ids.ts'
import { endingOf, requireRunning } from '../../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { invalidField } from '../../validation-messages.ts'
import { serviceIn } from '../access.ts'
import type { Recorder } from '../record/recorder.ts'
import { remind } from './expiry-reminders.ts'
import type { OutputThrottle } from './output-throttle.ts'
import { createScrollbacks } from './scrollback.ts'
import { createShell, type Shell, type Viewer } from './shared-shell.ts'

const argv = ['sh', '-c', 'if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi']
const noticeableMs = 300
/** The scrollback of all terminals together. */
const scrollbackBytes = 64 * 1024 * 1024

const requirePrinted = (shell: Shell, offset: number): void => {
  if (offset > shell.printed()) throw invalidField('offset', `the terminal has printed ${shell.printed()} bytes`)
}

export type TerminalRequest = Omit<TerminalHello, 'session_id' | 'token'>

export interface TerminalsDeps {
  readonly store: SandboxStore
  readonly engine: Engine
  readonly gradingLock: GradingLock
  readonly recorder: Recorder
  readonly outputThrottle: OutputThrottle
  readonly clock: Clock
  readonly limits: { readonly terminalLingerSeconds: number }
}

const noTerminal = (hint: string) => new LabError('not_found', 'there is no such terminal', { hint })

export const createTerminals = (deps: TerminalsDeps) => {
  const { store, engine, gradingLock, recorder, outputThrottle, limits } = deps
  const scrollbacks = createScrollbacks({ eachBytes: terminalLimits.scrollbackBytes, inAllBytes: scrollbackBytes })
  const shells = new Map<string, Shell>()
  /** How many shells of each sandbox are being opened. */
  const coming = new Map<string, number>()

  /** For each sandbox, the shell that its owner has gone to last. */
  const withKeys = new Map<string, string>()

  const listeners = new Map<string, Set<() => void>>()
  const changed = (sandbox: string) => {
    for (const listener of [...(listeners.get(sandbox) ?? [])]) listener()
  }

  const shellsOf = (sandbox: string) => [...shells.values()].filter((shell) => shell.sandbox === sandbox)

  /** Reserves a slot; if there is none, the shell that has been without a viewer for longest is closed. */
  const takeSlot = async (sandbox: string): Promise<() => void> => {
    const taken = () => shellsOf(sandbox).length + (coming.get(sandbox) ?? 0)
    if (taken() >= terminalLimits.perSandbox) {
      const forgotten = shellsOf(sandbox).filter((shell) => shell.lostAt() !== null)
      const [longest] = forgotten.sort((one, other) => (one.lostAt() ?? 0) - (other.lostAt() ?? 0))
      await longest?.close()
    }
    if (taken() >= terminalLimits.perSandbox) {
      throw new LabError('capacity_exhausted', `this sandbox has ${taken()} terminals already`, { hint: 'close one first' })
    }
    coming.set(sandbox, (coming.get(sandbox) ?? 0) + 1)
    return () => {
      const rest = (coming.get(sandbox) ?? 1) - 1
      if (rest === 0) coming.delete(sandbox)
      else coming.set(sandbox, rest)
    }
  }

  const waitForGrading = async (sandbox: string, warn: Viewer['warn']) => {
    const notice = setTimeout(() => warn('the sandbox is being graded; the shell waits until that is done'), noticeableMs)
    await gradingLock.released(sandbox)
    clearTimeout(notice)
  }

  const openNew = async (row: SandboxRow, { container: wanted, columns, rows }: TerminalRequest, warn: Viewer['warn']): Promise<Shell> => {
    const sandbox = row.id
    const container = serviceIn(row, wanted)
    const leavePlace = await takeSlot(sandbox)
    try {
      await waitForGrading(sandbox, warn)
      const terminal = await engine.terminal({ sandbox, service: container }, { argv, columns, rows })
      const shell = createShell({
        ...{ id: createId(), sandbox, container, terminal, size: { columns, rows }, scrollbacks, outputThrottle, now: elapsedMs },
        recording: recorder.openTerminal({ sandbox, container, columns, rows }),
        lingerMs: limits.terminalLingerSeconds * 1000,
        idle: (warn) => waitForGrading(sandbox, warn),
        viewed: () => changed(sandbox),
        remind: (warn, signal) => remind(deps, sandbox, warn, signal),
        ending: async () => {
          const now = await store.find(sandbox)
          return now === null ? null : endingOf(now)
        },
        ended: ({ id }) => {
          shells.delete(id)
          if (withKeys.get(sandbox) === id) withKeys.delete(sandbox)
          changed(sandbox)
        },
      })
      shells.set(shell.id, shell)
      changed(sandbox)
      return shell
    } finally {
      leavePlace()
    }
  }

  const comeBack = async (row: SandboxRow, id: string, { container, columns, rows, offset = 0 }: TerminalRequest): Promise<Shell> => {
    const shell = shells.get(id)
    if (shell === undefined || shell.sandbox !== row.id || (container !== undefined && container !== shell.container)) {
      throw noTerminal('its shell has ended; leave terminal_id out to open another one')
    }
    requirePrinted(shell, offset)
    await shell.resize(columns, rows)
    return shell
  }

  return {
    /** Returns a shell to attach to. Throws sandbox_not_running, container_not_running, invalid_request, not_found, capacity_exhausted. */
    open: async (row: SandboxRow, request: TerminalRequest, warn: Viewer['warn']): Promise<Shell> => {
      requireRunning(row)
      return request.terminal_id === undefined ? openNew(row, request, warn) : comeBack(row, request.terminal_id, request)
    },

    /** The open shell that a guest wants to follow. Throws sandbox_not_running, not_found and invalid_request. */
    openShell: (row: SandboxRow, { terminal_id: id = '', offset = 0 }: TerminalRequest): Shell => {
      requireRunning(row)
      const shell = shells.get(id)
      if (shell?.sandbox !== row.id) throw noTerminal('its shell has ended; the events of the sandbox tell which are open')
      requirePrinted(shell, offset)
      return shell
    },

    /** Those that are open, oldest first. */
    openIn: (sandbox: string): OpenTerminals =>
      shellsOf(sandbox).map(({ id, container, lostAt }) => {
        const attended = lostAt() === null
        return { terminal_id: id, container, has_keys: attended && withKeys.get(sandbox) === id, attended }
      }),

    /** What its owner types goes to this shell now. */
    takeKeys: ({ id, sandbox }: Shell): void => {
      if (!shells.has(id) || withKeys.get(sandbox) === id) return
      withKeys.set(sandbox, id)
      changed(sandbox)
    },

    /** Calls the listener after each change of those that are open. Returns a function that ends it. */
    onChange: (sandbox: string, listener: () => void): (() => void) => {
      const all = listeners.get(sandbox) ?? new Set()
      listeners.set(sandbox, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0 && listeners.get(sandbox) === all) listeners.delete(sandbox)
      }
    },

    /** Ends every shell. */
    close: async (): Promise<void> => {
      await Promise.allSettled([...shells.values()].map((shell) => shell.close()))
    },
  }
}

export type Terminals = ReturnType<typeof createTerminals>
