// Control groups of an engine of our own: one for all containers, and one with more CPU shares for the engine's own programs, so
// that busy sandboxes cannot starve the engine and the server. Best effort: the engine also starts on a kernel without the
// cpu controller.

import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cgroupOf } from './paths.ts'

const root = '/sys/fs/cgroup'

/** Shares of the processors under contention. Every thread of a program outside has 1024; all containers together have this. */
const shares = { containers: 1024, engine: 2048 } as const

/** The group of the engine's programs: dockerd, containerd and the shims. */
export const engineCgroupOf = (folder: string): string => `${cgroupOf(folder)}-engine`

/** The cpu hierarchy of cgroup v2 or v1; undefined where there is none. */
const findHierarchy = async () => {
  if (existsSync(join(root, 'cgroup.controllers'))) {
    await writeFile(join(root, 'cgroup.subtree_control'), '+cpu').catch(() => undefined)
    return { folder: root, file: 'cpu.weight', toValue: (share: number) => Math.round((share * 100) / 1024) }
  }
  const folder = [join(root, 'cpu'), join(root, 'cpu,cpuacct')].find((path) => existsSync(path))
  return folder === undefined ? undefined : { folder, file: 'cpu.shares', toValue: (share: number) => share }
}

/** Makes both groups. Returns the cgroup.procs files that a program of the engine writes its pid to. */
export const makeCgroups = async (folder: string): Promise<string[]> => {
  const hierarchy = await findHierarchy()
  if (hierarchy === undefined) return []
  const make = async (name: string, share: number): Promise<string[]> => {
    const group = join(hierarchy.folder, name)
    try {
      await mkdir(group, { recursive: true })
      await writeFile(join(group, hierarchy.file), String(hierarchy.toValue(share)))
      return [join(group, 'cgroup.procs')]
    } catch {
      return []
    }
  }
  await make(cgroupOf(folder), shares.containers)
  return make(engineCgroupOf(folder), shares.engine)
}

/** Wraps a command so that it and its children run in the groups of these cgroup.procs files. */
export const inCgroups = (files: readonly string[], argv: readonly string[]): [string, ...string[]] => {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1"; shift; done 2>/dev/null; shift; exec "$@"'
  return ['sh', '-c', script, 'sh', ...files, '--', ...argv]
}
