// Streaming responses of the engine, such as events and statistics.

import { Transform } from 'node:stream'

const longestLine = 256 * 1024

/** Transforms a stream of JSON values, one per line; null leaves one out. */
export const rebuildLines = (rebuild: (value: unknown) => unknown): Transform => {
  let held = ''
  const take = (line: string): string => {
    if (line.trim() === '') return ''
    const built = rebuild(JSON.parse(line))
    return built === null ? '' : `${JSON.stringify(built)}\n`
  }
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const lines = (held + chunk.toString()).split('\n')
      held = lines.pop() ?? ''
      try {
        if (held.length > longestLine) throw new Error('a line is too long')
        done(null, lines.map(take).join(''))
      } catch (error) {
        done(error as Error)
      }
    },
    flush: (done) => {
      try {
        done(null, take(held))
      } catch (error) {
        done(error as Error)
      }
    },
  })
}
