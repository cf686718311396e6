// Repeats work in the background until it is stopped.

export const createBackgroundLoop = (run: (signal: AbortSignal) => Promise<void>) => {
  let stopping: AbortController | undefined
  let loop: Promise<void> = Promise.resolve()
  return {
    start: (): void => {
      stopping = new AbortController()
      loop = run(stopping.signal)
    },
    /** Resolves when the current round has ended. */
    stop: async (): Promise<void> => {
      stopping?.abort()
      await loop
    },
  }
}
