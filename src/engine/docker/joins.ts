// Tells when a container that is being started has joined its network. Docker says so long before the start is over, and what
// must not happen twice at once in a network is over by then.

import type { Readable } from 'node:stream'
import type { Docker } from './connection.ts'

const longestEvent = 64 * 1024

interface JoinEvent {
  readonly Actor?: { readonly Attributes?: { readonly container?: string } }
}

export const createJoins = (docker: Docker) => {
  const waiting = new Map<string, () => void>()
  let listening: Promise<void> | undefined

  const take = (line: string) => {
    try {
      const { Actor } = JSON.parse(line) as JoinEvent
      waiting.get(Actor?.Attributes?.container ?? '')?.()
    } catch {
      // not an event
    }
  }

  const listen = async (): Promise<void> => {
    const stream = (await docker.getEvents({ filters: { type: ['network'], event: ['connect'] } })) as Readable
    let held = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      const lines = (held + chunk).split('\n')
      held = (lines.pop() ?? '').slice(0, longestEvent)
      for (const line of lines) take(line)
    })
    for (const event of ['end', 'close', 'error']) {
      stream.once(event, () => {
        listening = undefined
      })
    }
    ;(stream as { socket?: { unref(): void } }).socket?.unref()
  }

  return {
    /** Runs a start; calls `joined` once its container is in the network, or when the start is over, whichever comes first. */
    watch: async <T>(containerId: string, start: () => Promise<T>, joined: () => void): Promise<T> => {
      listening ??= listen().catch(() => {
        listening = undefined
      })
      await listening
      waiting.set(containerId, joined)
      try {
        return await start()
      } finally {
        waiting.delete(containerId)
        joined()
      }
    },
  }
}
