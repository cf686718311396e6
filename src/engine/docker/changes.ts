// What a container's own layer holds, as the engine counts it: no program of the container is asked.

import type { Container } from 'dockerode'
import type { FileChange } from '../engine.ts'
import { call } from './connection.ts'

const kinds = ['changed', 'added', 'deleted'] as const

/** The engine mounts the first process itself: a new file, and by that a changed folder. */
const isInitMount = ({ kind, path }: FileChange) =>
  (kind === 'added' && /^(\/usr)?\/sbin\/docker-init$/.test(path)) || (kind === 'changed' && /^(\/usr)?\/sbin$/.test(path))

export const changesOf = async (container: Container): Promise<FileChange[]> => {
  const found = ((await call(() => container.changes())) ?? []) as { Path: string; Kind: 0 | 1 | 2 }[]
  return found.map(({ Path, Kind }) => ({ kind: kinds[Kind], path: Path })).filter((change) => !isInitMount(change))
}
