// A WebSocket client of a terminal, and everything it has received.

import { systemClock } from '../../src/clock.ts'
import { TerminalEvent, terminalPath } from '../../src/contract/terminal.ts'

export const until = async (holds: () => boolean | Promise<boolean>, what: () => string, patienceMs = 60_000) => {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what()}`)
    await systemClock.sleep(50)
  }
}

export const connectTerminal = async (url: string, headers: Record<string, string> = {}) => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1${terminalPath}`, { headers } as never)
  socket.binaryType = 'arraybuffer'
  const chunks: Buffer[] = []
  const events: TerminalEvent[] = []
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code)
  })
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') events.push(TerminalEvent.parse(JSON.parse(data)))
    else chunks.push(Buffer.from(data as ArrayBuffer))
  }
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const bytes = () => Buffer.concat(chunks)
  const text = () => bytes().toString()
  return {
    socket,
    events,
    closed,
    bytes,
    text,
    /** Its side of the connection is not read any more, not even a close: the kernel's buffers fill, and then the service's. */
    stopReading: () => {
      const raw = socket as unknown as Record<symbol, { socket?: { pause(): void } }>
      for (const key of Object.getOwnPropertySymbols(raw)) raw[key]?.socket?.pause?.()
    },
    type: (keys: string) => socket.send(Buffer.from(keys)),
    control: (message: unknown) => socket.send(JSON.stringify(message)),
    sees: (pattern: RegExp) =>
      until(
        () => pattern.test(text()),
        () => `${pattern} in ${JSON.stringify(text().slice(-2000))}, ${JSON.stringify(events)}`,
      ),
    hears: (key: string) =>
      until(
        () => events.some((event) => key in event),
        () => `${key} in ${JSON.stringify(events)}`,
      ),
    errorCode: () => events.flatMap((event) => ('error' in event ? [event.error.code] : []))[0],
    ready: () => {
      const event = events.find((one) => 'ready' in one)
      if (event === undefined) throw new Error(`not ready: ${JSON.stringify(events)}`)
      return event
    },
    warnings: () => events.flatMap((event) => ('warning' in event ? [event.warning] : [])),
  }
}
