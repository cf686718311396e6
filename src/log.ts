// Structured logs on standard error. Secrets never reach a log line: their fields are redacted here,
// and callers log route patterns, not URLs.

import { destination, type Logger, pino } from 'pino'

export type Log = Logger

const secretFields = [
  ...['authorization', 'cookie', 'session_id', 'token', 'api_token', 'access_token', 'id_token', 'code', 'client_secret'],
  ...['terminal_url', 'ticket', 'invitation_url', 'share_url', 'share_secret', 'secret', 'stdin', 'command', 'login', 'email'],
]

export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
    },
    destination({ dest: 2, sync: true }),
  )
