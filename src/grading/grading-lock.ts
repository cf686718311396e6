// A lock per sandbox: one grading at a time, and commands that would change the sandbox wait until it is over.

export const createGradingLock = () => {
  const running = new Map<string, Promise<unknown>>()

  return {
    isHeld: (sandboxId: string): boolean => running.has(sandboxId),

    hold: async <T>(sandboxId: string, work: () => Promise<T>): Promise<T> => {
      const grading = work()
      running.set(sandboxId, grading)
      try {
        return await grading
      } finally {
        running.delete(sandboxId)
      }
    },

    /** Resolves when no grading of the sandbox is in progress. */
    released: async (sandboxId: string): Promise<void> => {
      await running.get(sandboxId)?.catch(() => undefined)
    },
  }
}

export type GradingLock = ReturnType<typeof createGradingLock>
