// Reports when a container that is being started has joined its networks, from the events of the engine. This is long before the
// start is over, and the next container of the sandbox can be started from then on (see per-sandbox-queue.ts).

import { readAnswer } from '../../helper-output.ts'
import type { Docker } from './connection.ts'
import { EngineEvent } from './docker-responses.ts'
import { listenToEvents } from './engine-events.ts'

export const watchNetworkJoins = (docker: Docker) => {
  /** By container: how many networks it has yet to join, and what to call then. */
  const waiting = new Map<string, { left: number; readonly joined: () => void }>()
  let listening: Promise<void> | undefined

  const take = (line: string) => {
    try {
      const { Actor } = readAnswer(EngineEvent, line)
      const start = waiting.get(Actor?.Attributes?.container ?? '')
      if (start === undefined) return
      start.left -= 1
      if (start.left <= 0) start.joined()
    } catch {
      // not an event
    }
  }

  const listen = async (): Promise<void> => {
    const ended = () => {
      listening = undefined
    }
    await listenToEvents(docker, { filters: { type: ['network'], event: ['connect'] }, take, ended })
  }

  return {
    /** Runs a start; calls `joined` once its container is in all its networks, or when the start is over, whichever comes first. */
    watch: async <T>(containerId: string, networks: number, start: () => Promise<T>, joined: () => void): Promise<T> => {
      listening ??= listen().catch(() => {
        listening = undefined
      })
      await listening
      waiting.set(containerId, { left: networks, joined })
      try {
        return await start()
      } finally {
        waiting.delete(containerId)
        joined()
      }
    },
  }
}
