// Work that is asked for often and need not run as often: once at a time, and once more for all who ask while it runs.

/** Resolves when the work has run to its end at least once since the call. */
export const coalesce = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  let isWanted = false

  const runWhileWanted = async (): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false
        await work()
      }
    } finally {
      running = undefined
    }
  }

  return () => {
    isWanted = true
    running ??= runWhileWanted()
    return running
  }
}
