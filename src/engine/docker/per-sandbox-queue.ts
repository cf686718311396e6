// Limits concurrent operations on the Docker daemon: a few for the whole engine, and one at a time in each sandbox.

import type { Container } from 'dockerode'
import { createSemaphore, type Semaphore } from '../../semaphore.ts'
import { call, type Docker } from './connection.ts'
import { watchNetworkJoins } from './network-join-events.ts'

/** With more, the daemon gets slower. */
const concurrentOperations = 8

export const createPerSandboxQueue = (docker: Docker) => {
  const limited = createSemaphore(concurrentOperations)
  const queues = new Map<string, Semaphore>()
  const joins = watchNetworkJoins(docker)

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

  /** Like `inTurn`, for a start: the next operation begins as soon as the container has joined its networks. */
  const startInTurn = async (sandbox: string, container: Container, networks: number): Promise<void> => {
    let started: Promise<unknown> = Promise.resolve()
    await queueOf(sandbox)(
      () =>
        new Promise<void>((joined) => {
          started = limited(() => joins.watch(container.id, networks, () => call(() => container.start()), joined))
          started.catch(() => undefined) // awaited below
        }),
    )
    await started
  }

  return { limited, inTurn, startInTurn, forget: (sandbox: string): void => void queues.delete(sandbox) }
}

export type PerSandboxQueue = ReturnType<typeof createPerSandboxQueue>
