// A semaphore: limits how many tasks run at once; the others wait in order.

export const createSemaphore = (width: number) => {
  let free = width
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

export type Semaphore = ReturnType<typeof createSemaphore>
