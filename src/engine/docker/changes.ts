// What a container's own layer holds, as the engine counts it: no program of the container is asked.

import type { Container } from 'dockerode'
import type { FileChange } from '../engine.ts'
import { call } from './connection.ts'

const kinds = ['changed', 'added', 'deleted'] as const

/** Where the engine itself mounts the first process, and the folder that it changes by that. */
const initMount = /^(\/usr)?\/sbin(\/docker-init)?$/

export const changesOf = async (container: Container): Promise<FileChange[]> => {
  const found = ((await call(() => container.changes())) ?? []) as { Path: string; Kind: 0 | 1 | 2 }[]
  return found.filter(({ Path }) => !initMount.test(Path)).map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path }))
}
