// What the engine itself says a container changed. It compares all files of the image with all of the container, by size and time:
// that takes a hundred times as long as a look at the layer (layer-changes.ts), and misses whoever sets a time back.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { parseCheckedJson } from '../../checked-json.ts'
import type { FileChange } from '../engine.ts'
import { openAnswer, readWithin } from './bounded-responses.ts'

const kinds = ['changed', 'added', 'deleted'] as const
const Changes = z.array(z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) })).nullable()
/** Names of a few bytes on the disk become many more here: links to one file cost nothing, and every name repeats its folders. */
const mostBytes = 8 * 1024 ** 2

/** A folder is changed by whatever changes in it, the engine's own init program too; whether it was changed itself is not told. */
const withoutFolders = (changes: readonly FileChange[]): FileChange[] => {
  const folders = new Set(changes.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
  return changes.filter(({ kind, path }) => !(kind === 'changed' && folders.has(path)))
}

/** Null when there is more than can be looked at. */
export const dockerDiff = async (container: Container): Promise<FileChange[] | null> => {
  const answer = await readWithin(mostBytes, await openAnswer(container, `/containers/${container.id}/changes`))
  if (answer === null) return null
  const found = parseCheckedJson(Changes, answer) ?? []
  return withoutFolders(found.map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path })))
}
