// The programs in the container of the inspectors: those that look at a service, and those that wait for one.

import type { Docker } from '../../src/engine/docker/connection.ts'
import { labelFilter } from '../../src/engine/docker/labels.ts'

export interface InspectorPrograms {
  readonly looking: readonly string[]
  /** Their pids. */
  readonly waiting: readonly number[]
}

/** One that looks has forked a process for it, or was told its service by arguments. */
export const inspectorPrograms = async (docker: Docker, installation: string): Promise<InspectorPrograms> => {
  const [found] = await docker.listContainers({ filters: labelFilter({ installation, role: 'inspector' }) })
  if (found === undefined) return { looking: [], waiting: [] }
  const { Processes } = (await docker.getContainer(found.Id).top()) as { Processes: string[][] }
  const all = Processes.map(([, pid, parent, ...rest]) => ({ pid: Number(pid), parent: Number(parent), command: rest.at(-1) ?? '' }))
  const ours = all.filter(({ command }) => /inspect_service|sleep 1000/.test(command))
  const pids = new Set(ours.map(({ pid }) => pid))
  const parents = new Set(ours.map(({ parent }) => parent))
  const isWaiting = ({ pid, parent, command }: (typeof ours)[number]) =>
    command.endsWith('inspect_service.py') && !parents.has(pid) && !pids.has(parent)
  return {
    looking: ours.filter((program) => !isWaiting(program)).map(({ command }) => command),
    waiting: ours.filter(isWaiting).map(({ pid }) => pid),
  }
}
