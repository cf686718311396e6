// Requests and answers, one JSON object per line, with a helper program over a channel; many at once, matched by id. Answers may
// contain what a sandbox wrote: lines are limited, unknown ids are dropped, and answers are checked against a schema.

import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { checkValue, parseCheckedJson } from './checked-json.ts'

const maxLineBytes = 8 * 1024 * 1024

/** The program has ended, or did not answer in time. */
export class NoAnswer extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NoAnswer'
  }
}

/** The program has ended. */
export class ChannelClosed extends NoAnswer {
  constructor(message: string) {
    super(message)
    this.name = 'ChannelClosed'
  }
}

/** The program reported an error: perhaps that whatever it had begun for this ran out of time, or was killed. */
export class Failed extends Error {
  readonly timedOut: boolean
  readonly killed: boolean

  constructor(message: string, { timedOut = false, killed = false } = {}) {
    super(message)
    this.name = 'Failed'
    this.timedOut = timedOut
    this.killed = killed
  }
}

const Envelope = z.looseObject({
  id: z.number(),
  failed: z.string().optional(),
  timed_out: z.boolean().optional(),
  killed: z.boolean().optional(),
})
type Envelope = z.infer<typeof Envelope>

interface Waiting {
  readonly resolve: (answer: Envelope) => void
  readonly reject: (error: Error) => void
}

/** Takes any stream with a program at its other end. */
export const openLines = (channel: { readonly stream: Duplex; close(): Promise<void> }) => {
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  /** The line that has not ended yet. */
  let held: string[] = []
  let heldLength = 0
  let over: Error | undefined

  const end = (error: Error) => {
    over ??= error
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }

  const take = (line: string) => {
    let answer: Envelope
    try {
      answer = parseCheckedJson(Envelope, line)
    } catch {
      return
    }
    const asked = waiting.get(answer.id)
    if (asked === undefined) return
    waiting.delete(answer.id)
    const { failed, timed_out, killed } = answer
    if (failed !== undefined) asked.reject(new Failed(failed, { timedOut: timed_out === true, killed: killed === true }))
    else asked.resolve(answer)
  }

  channel.stream.setEncoding('utf8')
  channel.stream.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n')
    held.push(first)
    heldLength += first.length
    for (const next of others) {
      take(held.join(''))
      held = [next]
      heldLength = next.length
    }
    if (heldLength > maxLineBytes) end(new NoAnswer('an answer was too long'))
  })
  channel.stream.once('end', () => end(new ChannelClosed('the channel was closed')))
  channel.stream.once('error', () => end(new ChannelClosed('the channel broke')))

  return {
    /** Throws NoAnswer, Failed or InvalidJson. */
    ask: async <Schema extends z.ZodType>(
      question: Record<string, unknown>,
      schema: Schema,
      timeoutMs: number,
    ): Promise<z.infer<Schema>> => {
      if (over !== undefined) throw over
      const id = nextId
      nextId += 1
      const answer = await new Promise<Envelope>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new NoAnswer(`no answer in ${timeoutMs} ms`))
        }, timeoutMs)
        const settle =
          <A>(then: (value: A) => void) =>
          (value: A) => {
            clearTimeout(timer)
            then(value)
          }
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
        channel.stream.write(`${JSON.stringify({ ...question, id })}\n`)
      })
      return checkValue(schema, answer)
    },
    close: async () => {
      end(new NoAnswer('the channel was closed'))
      await channel.close()
    },
  }
}

export type Lines = ReturnType<typeof openLines>
