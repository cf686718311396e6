// Answers of the engine that may be long, read as they come. What sandboxes name and run decides how long they are.

import type { Readable } from 'node:stream'
import { call, type Docker } from './connection.ts'

type Query = Readonly<Record<string, string>>

/** Reads a path of the engine's API as it comes; whoever has enough destroys it. */
export const openAnswer = (docker: Pick<Docker, 'modem'>, path: string, query: Query = {}): Promise<Readable> => {
  const options = { path: `${path}?`, options: query, method: 'GET', isStream: true, statusCodes: { 200: true } }
  return call(
    () =>
      new Promise<Readable>((resolve, reject) => {
        docker.modem.dial(options, (error: Error | null, stream: unknown) => (error ? reject(error) : resolve(stream as Readable)))
      }),
  )
}

/** The whole of such an answer; null when it is longer than that. */
export const readWithin = async (mostBytes: number, answer: Readable): Promise<string | null> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) return null // leaving the loop destroys the stream
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}
