// One shell of a sandbox over the server's WebSocket. Knows nothing of the screen.

import { toLabError } from '../../client/client.ts'
import { TerminalEvent, type TerminalHello, terminalLimits, terminalPath } from '../../contract/terminal.ts'
import { LabError } from '../../errors.ts'

export interface RemoteShell {
  readonly container: string
  /** Hands over the output, from the first byte on. */
  listen(output: (chunk: Buffer) => void): void
  send(keystrokes: Buffer): void
  resize(columns: number, rows: number): void
  close(): void
  /** `exit` when the shell has ended, else why the connection did. */
  readonly ended: Promise<'exit' | LabError>
}

/** Resolves when the shell is ready. */
export const openShell = (url: string, hello: TerminalHello, warn: (text: string) => void): Promise<RemoteShell> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1${terminalPath}`)
    const { promise: ended, resolve: end } = Promise.withResolvers<'exit' | LabError>()
    const early: Buffer[] = []
    let output = (chunk: Buffer): void => void early.push(chunk)
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
      if ('error' in event) return fail(toLabError(event))
      resolve({
        container: event.container,
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
        close: () => socket.close(),
        ended,
      })
    }
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => tell(hello)
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') take(TerminalEvent.parse(JSON.parse(data)))
      else output(Buffer.from(data as ArrayBuffer))
    }
    socket.onclose = () =>
      fail(new LabError('engine_unavailable', 'the connection to the server is lost', { hint: './lab drill leads back to the sandbox' }))
  })
