// An HTTP endpoint that takes webhooks and keeps the bytes and headers of each, as they came.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Webhook {
  readonly path: string
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

export const startWebhookEndpoint = async () => {
  const received: Webhook[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push({ path: request.url ?? '', body: Buffer.concat(chunks), headers: request.headers })
    response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** What it answers from now on. */
    answer: (next: number): void => {
      status = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type WebhookEndpoint = Awaited<ReturnType<typeof startWebhookEndpoint>>
