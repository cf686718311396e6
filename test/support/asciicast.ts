// A strict reader of asciicast v2: whatever is not exactly as it should be is an error.

export interface Cast {
  readonly header: { readonly width: number; readonly height: number; readonly timestamp: number; readonly title: string }
  readonly events: readonly (readonly [number, 'o' | 'r' | 'm', string])[]
  readonly output: () => string
}

export const parseCast = (text: string): Cast => {
  if (!text.endsWith('\n')) throw new Error(`the last line is not complete: ${JSON.stringify(text.slice(-100))}`)
  const [first = '', ...rest] = text.slice(0, -1).split('\n')
  const header = JSON.parse(first)
  const { version, width, height, timestamp, title, env } = header
  const isHeader =
    version === 2 &&
    [width, height, timestamp].every((value) => Number.isInteger(value) && value > 0) &&
    typeof title === 'string' &&
    Object.values(env).every((value) => typeof value === 'string')
  if (!isHeader) throw new Error(`not a header: ${first}`)
  let last = 0
  const events = rest.map((line) => {
    const event: unknown = JSON.parse(line)
    if (!Array.isArray(event) || event.length !== 3) throw new Error(`not an event: ${line}`)
    const [time, code, data] = event
    if (typeof time !== 'number' || time < last) throw new Error(`time goes back from ${last}: ${line}`)
    if (!['o', 'r', 'm'].includes(code) || typeof data !== 'string' || !data.isWellFormed()) throw new Error(`not an event: ${line}`)
    if (code === 'r' && !/^\d+x\d+$/.test(data)) throw new Error(`not a size: ${line}`)
    last = time
    return event as unknown as Cast['events'][number]
  })
  return { header, events, output: () => events.flatMap(([, code, data]) => (code === 'o' ? [data] : [])).join('') }
}
