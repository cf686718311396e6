// Changes in a container's writable layer, as docker diff reports them: no program of the container is involved.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { readAnswer } from '../../helper-output.ts'
import type { FileChange } from '../engine.ts'
import { openAnswer, readWithin } from './long-answers.ts'

const kinds = ['changed', 'added', 'deleted'] as const
const Changes = z.array(z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) })).nullable()
/** A limit, because hard links cost almost no disk space, while here every name is listed with its full path. */
const mostBytes = 8 * 1024 ** 2

/** The engine mounts its own init program: a new file, and so a changed folder. */
const isInitMount = ({ kind, path }: FileChange) =>
  (kind === 'added' && /^(\/usr)?\/sbin\/docker-init$/.test(path)) || (kind === 'changed' && /^(\/usr)?\/sbin$/.test(path))

/** Null when there are too many. */
export const changesOf = async (container: Container): Promise<FileChange[] | null> => {
  const answer = await readWithin(mostBytes, await openAnswer(container, `/containers/${container.id}/changes`))
  if (answer === null) return null
  const found = readAnswer(Changes, answer) ?? []
  return found.map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path })).filter((change) => !isInitMount(change))
}
