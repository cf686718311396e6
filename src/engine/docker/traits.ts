// What an engine is like, asked once: whether root in a container is somebody else outside, and what bounds what it takes.

import type { Docker } from './connection.ts'
import { boundingRuntime } from './daemon/folder.ts'
import { type EngineInfo, readInfo } from './engine-answers.ts'

export interface EngineTraits {
  /** Who root of a container is on the engine's host; null where it is root there too. */
  readonly mappedRoot: { readonly uid: number; readonly gid: number } | null
  /** Whether capabilities in a container mean nothing outside it. */
  readonly confinesCapabilities: boolean
  /** Whether a container gets its own part of the kernel's shared counters. */
  readonly boundsCounters: boolean
}

/** Runtimes that run containers on the host's own kernel, with no wall beyond what we ask for. */
const plainRuntimes = ['runc', 'crun', 'youki']

/** The engine's folder is named by who root is: `.../100000.100000`. */
const mappedRootOf = ({ SecurityOptions, DockerRootDir }: EngineInfo): EngineTraits['mappedRoot'] => {
  const [, uid, gid] = /\/(\d+)\.(\d+)$/.exec(DockerRootDir) ?? []
  const isMapped = SecurityOptions.some((option) => option === 'name=userns' || option.startsWith('name=userns,'))
  return isMapped && uid !== undefined && gid !== undefined ? { uid: Number(uid), gid: Number(gid) } : null
}

export const readTraits = async (docker: Docker, runtime: string | undefined): Promise<EngineTraits> => {
  const info = await readInfo(docker)
  const mappedRoot = mappedRootOf(info)
  const isSandboxing = runtime !== undefined && runtime !== boundingRuntime && !plainRuntimes.includes(runtime)
  return {
    mappedRoot,
    confinesCapabilities: mappedRoot !== null || isSandboxing,
    boundsCounters: mappedRoot !== null && (runtime ?? info.DefaultRuntime) === boundingRuntime,
  }
}
