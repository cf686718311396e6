// Structured logs on standard error. Secrets never reach a log line: their fields are redacted here,
// and callers log route patterns, not URLs.

import { destination, type Logger, pino } from 'pino'

export type Log = Logger

const secretFields = ['authorization', 'cookie', 'session_id', 'token', 'api_token', 'terminal_url', 'secret', 'stdin', 'command']

const common = {
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
}

export const createLog = (level: string): Log =>
  pino(
    {
      level,
      ...common,
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    },
    destination({ dest: 2, sync: true }),
  )

/** For the one line per request: many of them, with fields of ours only, so they are neither searched for secrets nor waited for. */
export const createRequestLog = (level: string): Log =>
  pino({ level, ...common }, destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 500 }))
