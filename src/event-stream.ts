// Server-sent events as text: what REST and MCP write alike. Knows neither of them.

export const eventStreamType = 'text/event-stream'

export const eventStreamHeaders = {
  'content-type': eventStreamType,
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no', // proxies must not hold events back
} as const

/** One event. The data must be a single line, as JSON is. */
export const eventText = (event: string, data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

/** A comment, which clients ignore: it keeps proxies from closing a quiet stream, and shows where a client is gone. */
export const keepAliveText = ': keep-alive\n\n'
