// Reads a recording, asciicast v2, which holds bytes of a sandbox: every size is bounded, and what cannot be read ends it with a reason.
// Pure.

export interface CastEvent {
  /** Seconds from the beginning; never less than that of the event before. */
  readonly at: number
  readonly kind: 'output' | 'resize' | 'marker'
  readonly text: string
}

export interface Cast {
  readonly columns: number
  readonly rows: number
  readonly events: readonly CastEvent[]
  readonly seconds: number
  /** Why it is not shown to its end; null where it is. */
  readonly problem: string | null
}

const kinds: Readonly<Record<string, CastEvent['kind']>> = { o: 'output', r: 'resize', m: 'marker' }
const most = { columns: 500, rows: 200, events: 1_000_000, seconds: 30 * 24 * 3600 } as const
/** What the service writes where it stopped recording. */
const truncation = 'truncated'

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const within = (value: unknown, limit: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 ? Math.min(value, limit) : null

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Null for what is no size. */
export const readSize = (text: string): Size | null => {
  const [, columns, rows] = /^(\d{1,6})x(\d{1,6})$/.exec(text) ?? []
  const size = { columns: within(Number(columns), most.columns), rows: within(Number(rows), most.rows) }
  return size.columns === null || size.rows === null ? null : { columns: size.columns, rows: size.rows }
}

const readHeader = (line: string): Size | null => {
  const header = parse(line) as { version?: unknown; width?: unknown; height?: unknown } | null | undefined
  const columns = within(header?.width, most.columns)
  const rows = within(header?.height, most.rows)
  return header?.version !== 2 || columns === null || rows === null ? null : { columns, rows }
}

const readEvent = (line: string, earliest: number): CastEvent | null => {
  const event = parse(line)
  if (!Array.isArray(event)) return null
  const [at, code, text] = event as unknown[]
  if (typeof at !== 'number' || !(at >= earliest && at <= most.seconds) || typeof code !== 'string' || typeof text !== 'string') return null
  const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined
  if (kind === undefined || (kind === 'resize' && readSize(text) === null)) return null
  return { at, kind, text }
}

/** Null where not even the header can be read. */
export const readCast = (text: string): Cast | null => {
  const end = text.indexOf('\n')
  const size = readHeader(end < 0 ? text : text.slice(0, end))
  if (size === null) return null
  const events: CastEvent[] = []
  let problem: string | null = null
  let last = 0
  for (let from = end + 1, number = 2; from > 0 && from < text.length; number += 1) {
    const next = text.indexOf('\n', from)
    const line = text.slice(from, next < 0 ? text.length : next)
    from = next < 0 ? text.length : next + 1
    if (line === '') continue
    const event = events.length < most.events ? readEvent(line, last) : null
    if (event === null) {
      problem = `The recording cannot be read from line ${number} on. What comes before it is shown.`
      break
    }
    last = event.at
    if (event.kind === 'marker' && event.text === truncation) problem = 'More happened than was recorded: the recording was full.'
    else events.push(event)
  }
  return { ...size, events, seconds: last, problem }
}
