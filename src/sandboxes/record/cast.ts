// asciicast v2, line by line: a header, then [seconds, code, data]. Knows no files.

import { StringDecoder } from 'node:string_decoder'

export interface CastHeader {
  readonly columns: number
  readonly rows: number
  readonly startedAt: Date
  readonly title: string
}

/** Whole seconds, as the format has it. */
export const timestampOf = (date: Date): number => Math.floor(date.getTime() / 1000)

export const castHeader = ({ columns, rows, startedAt, title }: CastHeader): string =>
  `${JSON.stringify({
    version: 2,
    width: columns,
    height: rows,
    timestamp: timestampOf(startedAt),
    title,
    env: { TERM: 'xterm-256color', SHELL: '/bin/bash' },
  })}\n`

/** The longest data of one event, so that the last line of a file is found without reading much of it. */
const eventCharacters = 4096
/** No line of ours is longer: every character may take six. */
export const longestLine = eventCharacters * 6 + 64

const truncation = 'truncated'
const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

const pieces = function* (text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const cut = from + eventCharacters
    const until = cut < text.length && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut
    yield text.slice(from, until)
    from = until
  }
}

/** Makes the lines of one cast. Times never go back, whatever the clock does. */
export const createCastWriter = (seconds: () => number, earliest = 0) => {
  const decoder = new StringDecoder('utf8')
  let last = earliest
  const line = (code: 'o' | 'r' | 'm', data: string): string => {
    last = Math.max(last, Math.round(seconds() * 1e6) / 1e6)
    return `${JSON.stringify([last, code, data])}\n`
  }
  const outputText = (text: string): string[] => [...pieces(text)].map((piece) => line('o', piece))

  return {
    /** A character that is not complete waits for the rest of it; bytes that are none become U+FFFD. */
    output: (chunk: Buffer): string[] => outputText(decoder.write(chunk)),
    text: outputText,
    resize: (columns: number, rows: number): string => line('r', `${columns}x${rows}`),
    /** What was held back at the end. */
    end: (): string[] => outputText(decoder.end()),
    /** Says to whoever watches, and to whoever parses, that more happened than is recorded. */
    truncated: (why: string): string[] => [line('o', `\r\n\u001b[0m[the recording ends here: ${why}]\r\n`), line('m', truncation)],
  }
}

export type CastWriter = ReturnType<typeof createCastWriter>

export interface CastEnd {
  readonly seconds: number
  readonly truncated: boolean
}

/** What the last line of a cast tells; null for what is no line. */
export const readCastEnd = (line: string): CastEnd | null => {
  try {
    const [seconds, code, data] = JSON.parse(line) as unknown[]
    return typeof seconds === 'number' ? { seconds, truncated: code === 'm' && data === truncation } : null
  } catch {
    return null
  }
}

/** When a cast began; null for what is no header. */
export const readCastStart = (line: string): Date | null => {
  try {
    const { version, timestamp } = JSON.parse(line) as { version?: unknown; timestamp?: unknown }
    return version === 2 && typeof timestamp === 'number' ? new Date(timestamp * 1000) : null
  } catch {
    return null
  }
}

/** How a command looks in the cast of a sandbox's commands. */
export const commandText = (
  container: string,
  command: string,
  { stdout, stderr, exitCode, timedOut }: { stdout: Buffer; stderr: Buffer; exitCode: number | null; timedOut: boolean },
): string => {
  const output = `${stdout}${stderr}`
  const code = timedOut ? '[killed: timed out]\n' : exitCode === 0 ? '' : `[exit code ${exitCode}]\n`
  const lines = `root@${container}# ${command}\n${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${code}`
  return lines.replace(/\r?\n/g, '\r\n')
}
