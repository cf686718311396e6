// A minimal HTTP load generator: sends the same request again on each connection as soon as the response, whose length is known, has
// arrived.

import { connect } from 'node:net'

export interface Blast {
  readonly perSecond: number
  readonly bytes: number
}

const lengthOf = (answer: Buffer): number | null => {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = answer.subarray(0, end).toString().toLowerCase()
  if (!head.startsWith('http/1.1 200')) throw new Error(head)
  return end + 4 + Number(/content-length: (\d+)/.exec(head)?.[1])
}

/** Asks for one path over and over. */
export const blast = async (port: number, path: string, connections: number, seconds: number): Promise<Blast> => {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  let answers = 0
  let bytes = 0
  const until = performance.now() + seconds * 1000
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      let received: Buffer = Buffer.alloc(0)
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const length = lengthOf(received)
        if (length === null || received.length < length) return
        received = received.subarray(length)
        answers += 1
        bytes = length
        if (performance.now() < until) socket.write(request)
        else socket.destroy()
      })
    })
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  return { perSecond: answers / ((performance.now() - started) / 1000), bytes }
}
