// A few slots for each of many: whoever finds none free waits in order, for a while. Those of one never wait for another.

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
    /** Returns what gives the slot back; calling that again does nothing. */
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
