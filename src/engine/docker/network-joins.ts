// Reports when a container that is being started has joined its networks, or one that is being stopped has left them, from the events of
// the engine. This is long before the operation is over, and the next one of the sandbox can begin from then on (see per-sandbox-queue.ts).

import { parseCheckedJson } from '../../checked-json.ts'
import type { Docker } from './connection.ts'
import { EngineEvent } from './docker-responses.ts'
import { listenToEvents } from './engine-events.ts'

export type NetworkChange = 'connect' | 'disconnect'

const keyOf = (containerId: string, change: string) => `${change} ${containerId}`

export const watchNetworkChanges = (docker: Docker) => {
  /** By change and container: how many networks it has yet to join or leave, and what to call then. */
  const waiting = new Map<string, { left: number; readonly changed: () => void }>()
  let listening: Promise<void> | undefined

  const take = (line: string) => {
    try {
      const { Action, Actor } = parseCheckedJson(EngineEvent, line)
      const operation = waiting.get(keyOf(Actor?.Attributes?.container ?? '', Action ?? ''))
      if (operation === undefined) return
      operation.left -= 1
      if (operation.left <= 0) operation.changed()
    } catch {
      // not an event
    }
  }

  const listen = async (): Promise<void> => {
    const ended = () => {
      listening = undefined
    }
    await listenToEvents(docker, { filters: { type: ['network'], event: ['connect', 'disconnect'] }, take, ended })
  }

  return {
    /** Runs a start or a stop; calls `changed` once its container is in all its networks, or in none, or when the operation is over, whichever comes first. */
    watch: async <T>(
      { containerId, change, networks }: { readonly containerId: string; readonly change: NetworkChange; readonly networks: number },
      work: () => Promise<T>,
      changed: () => void,
    ): Promise<T> => {
      listening ??= listen().catch(() => {
        listening = undefined
      })
      await listening
      const key = keyOf(containerId, change)
      waiting.set(key, { left: networks, changed })
      try {
        return await work()
      } finally {
        waiting.delete(key)
        changed()
      }
    },
  }
}
