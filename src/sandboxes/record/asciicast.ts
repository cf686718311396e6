// Writes and reads lines of asciicast v2: a header, then [seconds, code, data]. Knows nothing of files.

import { StringDecoder } from 'node:string_decoder'
import { z } from 'zod'
import { parseCheckedJson } from '../../checked-json.ts'

export interface CastHeader {
  readonly columns: number
  readonly rows: number
  readonly startedAt: Date
  readonly title: string
}

/** In whole seconds, as the format requires. */
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

/** The longest data of one event, so that the last line of a file can be found by reading a little of its end. */
const eventCharacters = 4096
/** The longest line: every character may be escaped to six. */
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

/** Creates the lines of one recording. Times never decrease, even if the clock does. */
export const createCastWriter = (seconds: () => number, earliest = 0) => {
  const decoder = new StringDecoder('utf8')
  let last = earliest
  const now = (): number => {
    last = Math.max(last, Math.round(seconds() * 1e6) / 1e6)
    return last
  }
  const line = (code: 'o' | 'r' | 'm', data: string, at = now()): string => `${JSON.stringify([at, code, data])}\n`
  const outputText = (text: string): string[] => [...pieces(text)].map((piece) => line('o', piece))

  return {
    /** An incomplete character waits for its other bytes; invalid bytes become U+FFFD. */
    output: (chunk: Buffer): string[] => outputText(decoder.write(chunk)),
    text: outputText,
    resize: (columns: number, rows: number): string => line('r', `${columns}x${rows}`),
    /** Text that can be jumped to: at the time of its marker, all of it is there. */
    marked: (label: string, text: string): string[] => {
      const at = now()
      return [line('m', label, at), ...[...pieces(text)].map((piece) => line('o', piece, at))]
    },
    /** An incomplete character at the end. */
    end: (): string[] => outputText(decoder.end()),
    /** Marks the recording as truncated, for viewers and for parsers. */
    truncated: (why: string): string[] => [line('o', `\r\n\u001b[0m[the recording ends here: ${why}]\r\n`), line('m', truncation)],
  }
}

export type CastWriter = ReturnType<typeof createCastWriter>

const WrittenHeader = z.object({ version: z.literal(2), timestamp: z.number() })
const WrittenEvent = z.tuple([z.number()], z.unknown())

export interface CastEnd {
  readonly seconds: number
  readonly truncated: boolean
}

/** Parses the last line of a recording; null if it is invalid. */
export const readCastEnd = (line: string): CastEnd | null => {
  try {
    const [seconds, code, data] = parseCheckedJson(WrittenEvent, line)
    return { seconds, truncated: code === 'm' && data === truncation }
  } catch {
    return null
  }
}

/** Parses the start time from the header; null if it is invalid. */
export const readCastStart = (line: string): Date | null => {
  try {
    return new Date(parseCheckedJson(WrittenHeader, line).timestamp * 1000)
  } catch {
    return null
  }
}

const labelCharacters = 1000

/** What a player calls a command. It is never the mark of a truncated recording, which has no prompt. */
export const commandLabel = (container: string, command: string): string =>
  `root@${container}# ${command.slice(0, labelCharacters).toWellFormed()}`

/** A command and its output, as they appear in the recording. */
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
