// The request log: one line per request on standard error, in the format of the other log lines. Its fields are known to contain no
// secrets, so they are not redacted; lines are buffered and written a few times a second.

import { write, writeSync } from 'node:fs'
import type { Clock } from './clock.ts'

export interface AnsweredRequest {
  readonly request_id: string
  readonly method: string
  /** The pattern of the route, never the address. */
  readonly route: string
  readonly status: number
  readonly ms: number
  /** The id of the account, never a name or an address. */
  readonly account: string | undefined
}

const standardError = 2
const flushMs = 250
const mostHeld = 64 * 1024

export interface RequestLog {
  (answered: AnsweredRequest): void
  /** Writes buffered lines, at shutdown. */
  flush(): void
}

const silent: RequestLog = Object.assign(() => undefined, { flush: () => undefined })

export const createRequestLog = (level: string, clock: Clock): RequestLog => {
  if (!['trace', 'debug', 'info'].includes(level)) return silent
  let held = ''
  let timer: NodeJS.Timeout | undefined
  let last = { at: Number.NaN, text: '' }

  /** Many requests share a millisecond, and writing a date takes half of the time of a line. */
  const timeText = (): string => {
    const now = clock.now()
    const at = now.getTime()
    if (at !== last.at) last = { at, text: now.toISOString() }
    return last.text
  }

  const send = () => {
    timer = undefined
    const lines = held
    held = ''
    write(standardError, lines, () => undefined)
  }
  const log = ({ request_id, method, route, status, ms, account }: AnsweredRequest): void => {
    const who = account === undefined ? '' : `,"account":${JSON.stringify(account)}`
    held += `{"level":"info","time":"${timeText()}","request_id":"${request_id}","method":"${method}","route":"${route}","status":${status},"ms":${ms}${who},"msg":"request"}\n`
    timer ??= setTimeout(send, flushMs).unref()
    if (held.length > mostHeld) {
      clearTimeout(timer)
      send()
    }
  }
  return Object.assign(log, {
    flush: () => {
      clearTimeout(timer)
      timer = undefined
      if (held !== '') writeSync(standardError, held)
      held = ''
    },
  })
}
