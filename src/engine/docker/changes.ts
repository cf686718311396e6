// What a container's own layer holds, as the engine counts it: no program of the container is asked.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { readAnswer } from '../../answers.ts'
import type { FileChange } from '../engine.ts'
import { call } from './connection.ts'

const kinds = ['changed', 'added', 'deleted'] as const
const Changes = z.array(z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) })).nullable()
/** Names of a few bytes on the disk become many more here: links to one file cost nothing, and every name repeats its folders. */
const mostBytes = 8 * 1024 ** 2

/** The engine mounts the first process itself: a new file, and by that a changed folder. */
const isInitMount = ({ kind, path }: FileChange) =>
  (kind === 'added' && /^(\/usr)?\/sbin\/docker-init$/.test(path)) || (kind === 'changed' && /^(\/usr)?\/sbin$/.test(path))

/** The answer as it comes, so that it can be ended. */
const openChanges = (container: Container): Promise<NodeJS.ReadableStream & { destroy(): void }> =>
  new Promise((resolve, reject) => {
    const options = { path: `/containers/${container.id}/changes`, method: 'GET', isStream: true, statusCodes: { 200: true } }
    container.modem.dial(options, (error: Error | null, stream: unknown) =>
      error ? reject(error) : resolve(stream as NodeJS.ReadableStream & { destroy(): void }),
    )
  })

/** Null when there is more than can be looked at. */
export const changesOf = async (container: Container): Promise<FileChange[] | null> => {
  const stream = await call(() => openChanges(container))
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      stream.destroy()
      return null
    }
    chunks.push(chunk as Buffer)
  }
  const found = readAnswer(Changes, Buffer.concat(chunks).toString()) ?? []
  return found.map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path })).filter((change) => !isInitMount(change))
}
