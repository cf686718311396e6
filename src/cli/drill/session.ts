// One remote shell over the server's WebSocket. Knows nothing of the screen.

import { toLabError } from '../../client/client.ts'
import { TerminalEvent, type TerminalHello, terminalCloseCodes, terminalLimits, terminalPath } from '../../contract/terminal.ts'
import { LabError } from '../../errors.ts'

/** The shell has exited, or its connection was lost: because the server stopped, or by a network error. */
export type ShellEnd = 'exit' | 'stopped' | 'lost' | LabError

export interface RemoteShell {
  readonly container: string
  readonly terminalId: string
  /** How many bytes of its output have arrived. */
  seen(): number
  /** Receives the output, from the first byte on. */
  listen(output: (chunk: Buffer) => void): void
  send(keystrokes: Buffer): void
  resize(columns: number, rows: number): void
  close(): void
  readonly ended: Promise<ShellEnd>
}

const unreachable = () =>
  new LabError('engine_unavailable', 'the connection to the server is lost', { hint: './lab drill reconnects to the sandbox' })

/** Resolves when the shell is ready. */
export const openShell = (url: string, hello: TerminalHello, warn: (text: string) => void): Promise<RemoteShell> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1${terminalPath}`)
    const { promise: ended, resolve: end } = Promise.withResolvers<ShellEnd>()
    const early: Buffer[] = []
    let output = (chunk: Buffer): void => void early.push(chunk)
    let seen = 0
    const fail = (error: LabError) => {
      reject(error)
      end(error)
    }
    const tell = (message: unknown) => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
    }
    const take = (event: TerminalEvent) => {
      if ('warning' in event) return warn(event.warning)
      if ('exit' in event) return end('exit')
      if ('replaced' in event) return fail(new LabError('not_found', 'this shell was opened in another window'))
      if ('error' in event) return fail(toLabError(event))
      if (!('ready' in event)) return // what only guests are told
      seen = event.offset
      tell({ keys: true }) // a drill has one shell at a time
      resolve({
        container: event.container,
        terminalId: event.terminal_id,
        seen: () => seen,
        listen: (take) => {
          output = take
          for (const chunk of early.splice(0)) take(chunk)
        },
        send: (keystrokes) => {
          for (let from = 0; from < keystrokes.length; from += terminalLimits.frameBytes) {
            if (socket.readyState === socket.OPEN) socket.send(keystrokes.subarray(from, from + terminalLimits.frameBytes))
          }
        },
        resize: (columns, rows) => tell({ resize: { columns, rows } }),
        close: () => socket.close(terminalCloseCodes.ended),
        ended,
      })
    }
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => tell(hello)
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') return take(TerminalEvent.parse(JSON.parse(data)))
      const chunk = Buffer.from(data as ArrayBuffer)
      seen += chunk.length
      output(chunk)
    }
    socket.onclose = ({ code }) => {
      end(code === terminalCloseCodes.goingAway ? 'stopped' : 'lost')
      reject(unreachable())
    }
  })
