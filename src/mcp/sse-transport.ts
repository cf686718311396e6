// One event stream of the 2024-11-05 transport, as the SDK's servers use a transport: the first event names the address for posting,
// every message is an event. Messages come in from elsewhere.

import type { ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/server'
import { eventStreamHeaders, eventText, keepAliveText } from '../event-stream.ts'

/** Whether something can be sent still. Writing after the end would raise an error that ends the server, however slowly a client reads. */
export const isOpen = (response: ServerResponse): boolean => !response.writableEnded && !response.destroyed

export const createSseTransport = (response: ServerResponse, postAddress: string): Transport => {
  const send = (event: string, data: string) => void response.write(eventText(event, data))
  const transport: Transport = {
    start: async () => {
      response.writeHead(200, eventStreamHeaders)
      send('endpoint', postAddress)
    },
    send: async (message) => {
      if (!isOpen(response)) throw new Error('the event stream is closed')
      send('message', JSON.stringify(message))
    },
    close: async () => {
      response.end()
    },
  }
  response.once('close', () => transport.onclose?.())
  return transport
}

export const keepAlive = (response: ServerResponse): void => {
  if (isOpen(response)) response.write(keepAliveText)
}
