// Reads the events of the engine, line by line, as long as the connection lasts. It keeps no process alive.

import type { Readable } from 'node:stream'
import type { Docker } from './connection.ts'

const longestEvent = 64 * 1024

export interface EngineEventsOptions {
  readonly filters: Readonly<Record<string, string[]>>
  readonly take: (line: string) => void
  /** Called once or more often, when no further event comes. */
  readonly ended: () => void
}

/** Resolves once it listens, with a function that ends it. */
export const listenToEvents = async (docker: Docker, { filters, take, ended }: EngineEventsOptions): Promise<() => void> => {
  const stream = (await docker.getEvents({ filters })) as Readable
  let held = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n')
    held = (lines.pop() ?? '').slice(0, longestEvent)
    for (const line of lines) take(line)
  })
  for (const event of ['end', 'close', 'error']) stream.once(event, ended)
  ;(stream as { socket?: { unref(): void } }).socket?.unref()
  return () => void stream.destroy()
}
