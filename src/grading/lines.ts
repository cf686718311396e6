// Questions and answers, one JSON object a line, with a program of ours at the other end of a channel.
// What comes back may carry what a sandbox wrote: lines are bounded, strangers are dropped.

import type { Channel } from '../engine/engine.ts'

const maxLineBytes = 8 * 1024 * 1024

/** The other end is gone, or did not answer in time. */
export class Silence extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Silence'
  }
}

/** The other end is gone. */
export class Ended extends Silence {
  constructor(message: string) {
    super(message)
    this.name = 'Ended'
  }
}

/** The other end could not do what was asked. */
export class Failed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Failed'
  }
}

interface Waiting {
  readonly resolve: (answer: Record<string, unknown>) => void
  readonly reject: (error: Error) => void
}

export const openLines = (channel: Channel) => {
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  let held = ''
  let over: Error | undefined

  const end = (error: Error) => {
    over ??= error
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }

  const take = (line: string) => {
    let answer: Record<string, unknown>
    try {
      answer = JSON.parse(line) as Record<string, unknown>
    } catch {
      return
    }
    const asked = waiting.get(answer.id as number)
    if (asked === undefined) return
    waiting.delete(answer.id as number)
    if (typeof answer.failed === 'string') asked.reject(new Failed(answer.failed))
    else asked.resolve(answer)
  }

  channel.stream.setEncoding('utf8')
  channel.stream.on('data', (chunk: string) => {
    held += chunk
    const lines = held.split('\n')
    held = lines.pop() ?? ''
    if (held.length > maxLineBytes) return end(new Silence('an answer was too long'))
    for (const line of lines) take(line)
  })
  channel.stream.once('end', () => end(new Ended('the channel was closed')))
  channel.stream.once('error', () => end(new Ended('the channel broke')))

  return {
    ask: <T>(question: Record<string, unknown>, timeoutMs: number): Promise<T> => {
      if (over !== undefined) return Promise.reject(over)
      const id = nextId
      nextId += 1
      return new Promise<T>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new Silence(`no answer in ${timeoutMs} ms`))
        }, timeoutMs)
        const settle =
          <A>(then: (value: A) => void) =>
          (value: A) => {
            clearTimeout(timer)
            then(value)
          }
        waiting.set(id, { resolve: settle(resolve as (answer: Record<string, unknown>) => void), reject: settle(reject) })
        channel.stream.write(`${JSON.stringify({ ...question, id })}\n`)
      })
    },
    close: async () => {
      end(new Silence('the channel was closed'))
      await channel.close()
    },
  }
}

export type Lines = ReturnType<typeof openLines>
