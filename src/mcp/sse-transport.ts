// One event stream of the 2024-11-05 transport, as the SDK's servers use a transport: the first event names the address for posting,
// every message is an event. Messages come in from elsewhere.

import type { ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/server'

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no', // proxies must not hold events back
}

/** Whether something can be sent still. Writing after the end would raise an error that ends the server, however slowly a client reads. */
export const isOpen = (response: ServerResponse): boolean => !response.writableEnded && !response.destroyed

export const createSseTransport = (response: ServerResponse, postAddress: string): Transport => {
  const send = (event: string, data: string) => void response.write(`event: ${event}\ndata: ${data}\n\n`)
  const transport: Transport = {
    start: async () => {
      response.writeHead(200, headers)
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

/** A comment, which clients ignore: it keeps proxies from closing a quiet stream, and shows where a client is gone. */
export const keepAlive = (response: ServerResponse): void => {
  if (isOpen(response)) response.write(': keep-alive\n\n')
}
