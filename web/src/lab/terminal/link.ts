// The connection of a terminal to its shell. A lost one is opened again by itself, and leads back to the same shell where that still runs.
// Knows nothing of the screen.

import { basePath } from '../../../../src/contract/api-version.ts'
import {
  type TerminalControl,
  TerminalEvent,
  type TerminalHello,
  terminalCloseCodes,
  terminalLimits,
  terminalPath,
} from '../../../../src/contract/terminal.ts'
import { pauseBefore } from './backoff.ts'
import type { LinkOptions, LossReason, OverReason } from './link-state.ts'

const openMs = 10_000
const aheadChunks = 1_000
/** Refusals that pass by themselves. */
const passing = new Map<string, LossReason>([
  ['engine_unavailable', 'server'],
  ['shutting_down', 'server'],
  ['rate_limited', 'server'],
  ['container_not_running', 'machine'],
])

const addressOf = () => `${location.origin.replace(/^http/, 'ws')}${basePath}${terminalPath}`

export const createLink = (options: LinkOptions) => {
  let socket: WebSocket | null = null
  let isReady = false
  let isReplay = false
  let terminalId = options.remembered
  let seen = 0
  let since: Date | null = null
  let attempt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Typed while there was no connection. */
  let ahead: Uint8Array<ArrayBuffer>[] = []

  const leave = () => {
    clearTimeout(timer)
    socket = null
    isReady = false
  }
  const finish = (why: OverReason, message: string) => {
    leave()
    since = null
    options.tell({ kind: 'over', why, message })
  }
  const lose = (why: LossReason) => {
    leave()
    since ??= new Date()
    options.tell({ kind: 'lost', since, why })
    timer = setTimeout(connect, pauseBefore(attempt))
    attempt += 1
  }
  const forgetShell = () => {
    terminalId = null
    seen = 0
    ahead = []
    options.remember(null)
    options.newShell()
  }

  const send = (keystrokes: Uint8Array<ArrayBuffer>) => {
    if (!isReady) {
      const isComing = socket !== null || since !== null
      ahead = isComing ? [...ahead, keystrokes].slice(-aheadChunks) : []
      return
    }
    for (let from = 0; from < keystrokes.length; from += terminalLimits.frameBytes) {
      socket?.send(keystrokes.subarray(from, from + terminalLimits.frameBytes))
    }
  }

  const takeError = (code: string, message: string) => {
    if (code === 'not_found' && options.isFollower) return finish('exit', 'the shell has ended')
    if (code === 'not_found' && terminalId !== null) {
      leave()
      forgetShell()
      return connect()
    }
    const why = passing.get(code)
    if (why === undefined) finish('refused', message)
    else lose(why)
  }

  const take = (event: TerminalEvent) => {
    if ('warning' in event) return options.warn(event.warning)
    if ('error' in event) return takeError(event.error.code, event.error.message)
    if ('replaced' in event) return finish('replaced', 'this shell was opened in another window')
    if ('size' in event) return options.resized(event.size)
    if ('gap' in event) {
      seen = event.gap.offset
      return options.skipped()
    }
    if ('removed' in event) return finish('removed', 'you are let in no longer')
    if ('exit' in event) {
      if (!options.isRestarting()) {
        options.remember(null)
        terminalId = null
        return finish('exit', 'the shell has ended')
      }
      forgetShell()
      return lose('machine')
    }
    isReplay = terminalId === event.terminal_id && seen === 0
    terminalId = event.terminal_id
    options.remember(terminalId)
    seen = event.offset
    since = null
    attempt = 0
    isReady = true
    options.tell({ kind: 'open' })
    for (const keystrokes of ahead.splice(0)) send(keystrokes)
    resize()
    sayKeys()
  }

  const control = (message: TerminalControl) => {
    if (isReady && !options.isFollower) socket?.send(JSON.stringify(message))
  }
  const resize = () => control({ resize: options.size() })
  /** For those who follow. */
  const sayKeys = () => {
    if (options.hasKeys()) control({ keys: true })
  }

  const connect = () => {
    leave()
    if (since === null) options.tell({ kind: 'opening' })
    const mine = new WebSocket(addressOf())
    socket = mine
    mine.binaryType = 'arraybuffer'
    timer = setTimeout(() => lose('connection'), openMs)
    mine.onopen = () => {
      if (socket !== mine) return mine.close()
      clearTimeout(timer)
      const back = terminalId === null ? {} : { terminal_id: terminalId, offset: seen }
      const hello: TerminalHello = { ...options.credential, container: options.container, ...back, ...options.size() }
      mine.send(JSON.stringify(hello))
    }
    mine.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket !== mine) return
      if (typeof data === 'string') return take(TerminalEvent.parse(JSON.parse(data)))
      seen += data.byteLength
      options.output(new Uint8Array(data), isReplay)
      isReplay = false
    }
    mine.onclose = ({ code }) => {
      if (socket === mine) lose(code === terminalCloseCodes.goingAway ? 'server' : 'connection')
    }
  }

  return {
    connect: () => {
      if (socket === null) connect()
    },
    send,
    resize,
    sayKeys,
    /** The network is away. The old connection is left as it is: closing it would end the shell, and the next one takes over. */
    drop: () => {
      if (socket !== null) lose('connection')
    },
    /** The network is back: no reason to wait. */
    hurry: () => {
      if (since === null || socket !== null) return
      attempt = 0
      connect()
    },
    close: () => {
      const last = socket
      leave()
      last?.close(terminalCloseCodes.ended)
    },
  }
}

export type Link = ReturnType<typeof createLink>
