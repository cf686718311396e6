// Who may ask the daemon for what, and when: some operations at once on the engine, and one at a time in each sandbox.

import type { Container } from 'dockerode'
import { createGate, type Gate } from '../../semaphore.ts'
import { call, type Docker } from './connection.ts'
import { createJoins } from './network-join-events.ts'

/** The daemon is slower, not faster, with more at once. */
const concurrentOperations = 8

export const createTurns = (docker: Docker) => {
  const gate = createGate(concurrentOperations)
  const turns = new Map<string, Gate>()
  const joins = createJoins(docker)

  const turnOf = (sandbox: string): Gate => {
    const turn = turns.get(sandbox) ?? createGate(1)
    turns.set(sandbox, turn)
    return turn
  }

  /**
   * One at a time in each sandbox: Docker miscounts the endpoints of a network when several of its containers come or go at
   * once, and then never lets go of the network.
   */
  const inTurn = <T>(sandbox: string, work: () => Promise<T>): Promise<T> => {
    return turnOf(sandbox)(() => gate(() => call(work)))
  }

  /** Like `inTurn`, for a start: the next one's turn comes as soon as this one is in its networks. */
  const startInTurn = async (sandbox: string, container: Container, networks: number): Promise<void> => {
    let started: Promise<unknown> = Promise.resolve()
    await turnOf(sandbox)(
      () =>
        new Promise<void>((joined) => {
          started = gate(() => joins.watch(container.id, networks, () => call(() => container.start()), joined))
          started.catch(() => undefined) // awaited below
        }),
    )
    await started
  }

  return { gate, inTurn, startInTurn, forget: (sandbox: string): void => void turns.delete(sandbox) }
}

export type Turns = ReturnType<typeof createTurns>
