// Answers of the engine that go on for a while.

import { type Readable, Transform } from 'node:stream'
import { call, type Docker } from '../connection.ts'

const longestLine = 256 * 1024

/** Reads a path of the engine's API as it comes; whoever has enough destroys it. */
export const openStream = (docker: Docker, path: string, query: Readonly<Record<string, string>>): Promise<Readable> => {
  const options = { path: `${path}?`, options: query, method: 'GET', isStream: true, statusCodes: { 200: true } }
  return call(
    () =>
      new Promise<Readable>((resolve, reject) => {
        docker.modem.dial(options, (error: Error | null, stream: unknown) => (error ? reject(error) : resolve(stream as Readable)))
      }),
  )
}

/** JSON values, one after the other, each made into another one or left out. */
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
