// Requests and answers with the main program of a helper container: one JSON object per line, one request at a time.

import type { Duplex } from 'node:stream'
import type { Container } from 'dockerode'
import type { z } from 'zod'
import { readAnswer } from '../../helper-output.ts'
import { call } from './connection.ts'
import { plainStream } from './streams.ts'

const maxAnswerBytes = 8 * 1024 ** 2

export interface Conversation {
  /** Throws when the program has ended, answers too much or in another format, or does not answer in time. */
  ask<Schema extends z.ZodType>(question: unknown, schema: Schema, timeoutMs: number): Promise<z.infer<Schema>>
  /** Closes the program's input. */
  close(): void
}

const nextLine = (stream: Duplex, timeoutMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let held = ''
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      stream.off('data', take).off('close', gone).off('end', gone).off('error', gone)
      finish()
    }
    const gone = () => settle(() => reject(new Error('the meter has ended')))
    const timer = setTimeout(() => settle(() => reject(new Error(`the meter did not answer in ${timeoutMs} ms`))), timeoutMs)
    const take = (chunk: Buffer) => {
      held += chunk.toString('latin1')
      if (held.length > maxAnswerBytes) settle(() => reject(new Error('the answer of the meter is too long')))
      else if (held.includes('\n')) settle(() => resolve(held))
    }
    stream.on('data', take).once('close', gone).once('end', gone).once('error', gone)
  })

export const openConversation = async (container: Container): Promise<Conversation> => {
  const raw = (await call(() => container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }))) as Duplex
  await call(() => container.start())
  const stream = plainStream(raw)
  stream.on('error', () => undefined)
  return {
    ask: async (question, schema, timeoutMs) => {
      if (stream.destroyed || stream.readableEnded) throw new Error('the meter has ended')
      const answer = nextLine(stream, timeoutMs)
      stream.write(`${JSON.stringify(question)}\n`)
      return readAnswer(schema, await answer)
    },
    close: () => {
      raw.end()
      stream.destroy()
    },
  }
}
