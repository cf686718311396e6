// Limits concurrent operations on the Docker daemon: a few for the whole engine, and one at a time in each sandbox.

import type { Container } from 'dockerode'
import { createSemaphore, type Semaphore } from '../../semaphore.ts'
import { call, type Docker, ignoreMissing, startUnlessRunning } from './connection.ts'
import { type NetworkChange, watchNetworkChanges } from './network-joins.ts'

/** With more, the daemon gets slower. */
const concurrentOperations = 8
/** What programs get to end before they are killed: some wait for a neighbour that has stopped before them, and stops are one after the other. */
const stopSeconds = 2

export const createPerSandboxQueue = (docker: Docker) => {
  const limited = createSemaphore(concurrentOperations)
  const queues = new Map<string, Semaphore>()
  const changes = watchNetworkChanges(docker)

  const queueOf = (sandbox: string): Semaphore => {
    const queue = queues.get(sandbox) ?? createSemaphore(1)
    queues.set(sandbox, queue)
    return queue
  }

  /**
   * One at a time in each sandbox: Docker miscounts the endpoints of a network when several containers join or leave it at once,
   * and then refuses to remove the network.
   */
  const inTurn = <T>(sandbox: string, work: () => Promise<T>): Promise<T> => {
    return queueOf(sandbox)(() => limited(() => call(work)))
  }

  /** Like `inTurn`, but the next operation begins as soon as the container has joined, or left, its networks. */
  const untilChanged =
    (change: NetworkChange, work: (container: Container) => Promise<unknown>) =>
    async (sandbox: string, container: Container, networks: number): Promise<void> => {
      let operation: Promise<unknown> = Promise.resolve()
      await queueOf(sandbox)(
        () =>
          new Promise<void>((changed) => {
            operation = limited(() =>
              changes.watch({ containerId: container.id, change, networks }, () => call(() => work(container)), changed),
            )
            operation.catch(() => undefined) // awaited below
          }),
      )
      await operation
    }

  return {
    limited,
    inTurn,
    startInTurn: untilChanged('connect', startUnlessRunning),
    stopInTurn: untilChanged('disconnect', (container) => ignoreMissing(() => container.stop({ t: stopSeconds }))),
    forget: (sandbox: string): void => void queues.delete(sandbox),
  }
}

export type PerSandboxQueue = ReturnType<typeof createPerSandboxQueue>
