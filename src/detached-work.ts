// Work that nobody waits for: once at a time; a failure is told, and whoever stops the service waits for its end.

export interface DetachedWork {
  /** Begins it, unless it is under way. Resolves at once. */
  begin(): Promise<void>
  /** Resolves when it is not under way. */
  settle(): Promise<void>
}

export const detach = (work: () => Promise<void>, failed: (error: unknown) => void): DetachedWork => {
  let underWay: Promise<void> | undefined
  return {
    begin: async () => {
      underWay ??= work()
        .catch(failed)
        .finally(() => {
          underWay = undefined
        })
    },
    settle: async () => underWay,
  }
}
