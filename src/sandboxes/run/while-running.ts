// Work in a sandbox that may end meanwhile. Whoever ends a sandbox marks its row first and removes its containers second, so work that
// met the removal finds the row ended afterwards, whatever the engine said.

import type { CommandResult } from '../../engine/engine.ts'
import { requireRunning } from '../../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'

/** A command that ended by itself: the removal of its container gives it another exit code. */
export const hasSucceeded = ({ exitCode }: CommandResult): boolean => exitCode === 0

export const createWhileRunning = (store: Pick<SandboxStore, 'find'>) => {
  const requireStillRunning = async (row: SandboxRow): Promise<void> => {
    const now = await store.find(row.id).catch(() => null) // the outcome of the work says more than a store that does not answer
    requireRunning(now ?? row)
  }

  /**
   * The result of the work. Where it failed, or `isWhole` denies that all of the result is there, the row is looked at
   * again: throws sandbox_not_running if the sandbox has ended meanwhile.
   */
  return async <T>(row: SandboxRow, work: () => Promise<T>, isWhole: (result: T) => boolean): Promise<T> => {
    let result: T
    try {
      result = await work()
    } catch (error) {
      await requireStillRunning(row)
      throw error
    }
    if (!isWhole(result)) await requireStillRunning(row)
    return result
  }
}

export type WhileRunning = ReturnType<typeof createWhileRunning>
