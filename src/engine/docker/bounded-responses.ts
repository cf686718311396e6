// Streams responses of the Docker API whose length a sandbox controls, such as logs and process lists.

import type { Readable } from 'node:stream'
import { call, type Docker } from './connection.ts'

type Query = Readonly<Record<string, string>>

/** Streams a path of the Docker API; the reader may destroy the stream at any time. */
export const openAnswer = (docker: Pick<Docker, 'modem'>, path: string, query: Query = {}): Promise<Readable> => {
  const options = { path: `${path}?`, options: query, method: 'GET', isStream: true, statusCodes: { 200: true } }
  return call(
    () =>
      new Promise<Readable>((resolve, reject) => {
        docker.modem.dial(options, (error: Error | null, stream: unknown) => (error ? reject(error) : resolve(stream as Readable)))
      }),
  )
}

/** The whole response; null when it is longer than `mostBytes`. */
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
