// Features of an engine, determined once: user namespaces, confined capabilities, limits on shared kernel counters.

import type { Docker } from './connection.ts'
import { boundingRuntime } from './daemon/paths.ts'
import { type EngineInfo, readInfo } from './docker-responses.ts'

export interface EngineFeatures {
  /** The user and group on the engine's host that root in a container is mapped to; null without user namespaces. */
  readonly mappedRoot: { readonly uid: number; readonly gid: number } | null
  /** Whether capabilities in a container have no effect outside it. */
  readonly confinesCapabilities: boolean
  /** Whether each container has limits of its own on shared kernel counters; see daemon/runtime.sh. */
  readonly boundsCounters: boolean
}

/** Runtimes without isolation of their own: containers run on the host's kernel. */
const plainRuntimes = ['runc', 'crun', 'youki']

/** With user namespaces, the engine's data folder is named after the mapped root: `.../100000.100000`. */
const mappedRootOf = ({ SecurityOptions, DockerRootDir }: EngineInfo): EngineFeatures['mappedRoot'] => {
  const [, uid, gid] = /\/(\d+)\.(\d+)$/.exec(DockerRootDir) ?? []
  const isMapped = SecurityOptions.some((option) => option === 'name=userns' || option.startsWith('name=userns,'))
  return isMapped && uid !== undefined && gid !== undefined ? { uid: Number(uid), gid: Number(gid) } : null
}

export const readEngineFeatures = async (docker: Docker, runtime: string | undefined): Promise<EngineFeatures> => {
  const info = await readInfo(docker)
  const mappedRoot = mappedRootOf(info)
  const isSandboxing = runtime !== undefined && runtime !== boundingRuntime && !plainRuntimes.includes(runtime)
  return {
    mappedRoot,
    confinesCapabilities: mappedRoot !== null || isSandboxing,
    boundsCounters: mappedRoot !== null && (runtime ?? info.DefaultRuntime) === boundingRuntime,
  }
}
