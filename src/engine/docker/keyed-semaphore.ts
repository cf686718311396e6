// A semaphore per key: each key has a few slots, and callers wait in order, for a limited time. Keys do not affect each other.

interface Queue {
  taken: number
  readonly waiting: (() => void)[]
}

export const createKeyedSemaphore = (width: number, patienceMs: number) => {
  const queues = new Map<string, Queue>()

  const release = (owner: string, queue: Queue) => {
    const next = queue.waiting.shift()
    if (next !== undefined) return next()
    queue.taken -= 1
    if (queue.taken === 0) queues.delete(owner)
  }

  const wait = ({ waiting }: Queue): Promise<void> =>
    new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(new Error(`no slot became free in ${patienceMs} ms`))
      }, patienceMs)
      waiting.push(turn)
    })

  return {
    /** Returns a function that releases the slot; calling it again does nothing. */
    take: async (owner: string): Promise<() => void> => {
      const queue = queues.get(owner) ?? { taken: 0, waiting: [] }
      queues.set(owner, queue)
      if (queue.taken < width) queue.taken += 1
      else await wait(queue)
      let isTaken = true
      return () => {
        if (isTaken) release(owner, queue)
        isTaken = false
      }
    },
  }
}
