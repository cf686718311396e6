// A response of server-sent events. Whoever reads too slowly is cut off, and may come back; a closing server ends all of them.

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { eventText, keepAliveText } from '../event-stream.ts'

/** What may wait for a reader, beside what the connection holds. */
const backlogBytes = 256 * 1024
const heartbeatMs = 15_000
/** What browsers wait before they come back. */
const reconnectMs = 2_000

export interface EventResponse {
  readonly stream: Readable
  readonly send: (event: string, data: unknown, id?: string) => void
  /** After what was sent. */
  readonly end: () => void
}

/** `isAllowed` is asked at every heartbeat: a credential may have been revoked meanwhile. `closed` is called once. */
export type OpenEventResponse = (options: { readonly isAllowed: () => Promise<boolean>; readonly closed: () => void }) => EventResponse

export const createEventResponses = (app: FastifyInstance, everyMs = heartbeatMs): OpenEventResponse => {
  const open = new Set<EventResponse>()
  app.addHook('preClose', async () => {
    for (const { end } of open) end()
  })

  return ({ isAllowed, closed }) => {
    const stream = new Readable({ read: () => undefined, highWaterMark: backlogBytes })
    const write = (text: string) => {
      if (stream.destroyed || stream.readableEnded || hasEnded) return
      if (stream.readableLength + text.length > backlogBytes) stream.destroy()
      else stream.push(text)
    }
    let hasEnded = false
    const end = () => {
      if (hasEnded || stream.destroyed) return
      hasEnded = true
      stream.push(null)
    }
    const beat = async () => {
      if (await isAllowed().catch(() => true)) write(keepAliveText)
      else end()
    }
    const timer = setInterval(() => void beat(), everyMs)
    const response: EventResponse = { stream, send: (event, data, id) => write(eventText(event, JSON.stringify(data), id)), end }
    open.add(response)
    stream.once('close', () => {
      clearInterval(timer)
      open.delete(response)
      closed()
    })
    write(`retry: ${reconnectMs}\n\n`)
    return response
  }
}
