// Opens a shell with a pseudo-terminal (TTY) by the engine's exec.

import type { Duplex } from 'node:stream'
import { isLabError } from '../../errors.ts'
import type { Terminal, TerminalOptions } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { leaderOf } from './exec.ts'

/** Docker detaches on a key sequence (Ctrl-P Ctrl-Q by default); with this one, every key that people press reaches the shell. */
const unlikelyKeys = 'ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-@,ctrl-^,ctrl-_,ctrl-@'

export const openTerminal = async (
  docker: Docker,
  id: string,
  { argv, columns, rows }: TerminalOptions,
  killGroup: (leader: number, container: string) => Promise<void>,
): Promise<Terminal> => {
  const exec = await call(() =>
    docker.getContainer(id).exec({
      Cmd: [...argv],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: true,
      DetachKeys: unlikelyKeys,
      Env: ['TERM=xterm-256color'],
    }),
  )
  const stream: Duplex = await call(() => exec.start({ hijack: true, stdin: true, Tty: true }))
  /** Ignored when the shell has ended. */
  const resize = async (w: number, h: number) => {
    try {
      await call(() => exec.resize({ w, h }))
    } catch (error) {
      if (!isLabError(error, 'not_found') && !isLabError(error, 'container_not_running')) throw error
    }
  }
  const close = async () => {
    const leader = await leaderOf(exec)
    if ((await call(() => exec.inspect())).Running) await killGroup(leader, id)
    stream.destroy()
  }
  try {
    await resize(columns, rows)
  } catch (error) {
    await close().catch(() => undefined) // a busy engine may refuse to resize a shell that has only just started
    throw error
  }
  return { stream, resize, close }
}
