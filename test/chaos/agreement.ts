// Compares store and engine, which is queried directly. The list of differences is empty when they agree and nothing is in progress.

import type { ContainerInfo } from 'dockerode'
import { labelFilter, labelKeys } from '../../src/engine/docker/labels.ts'
import type { Installation } from '../../src/installation.ts'
import type { SandboxRow } from '../../src/store/sandboxes.ts'

const sandboxIn = (labels: Record<string, string> | undefined) => labels?.[labelKeys.sandbox] ?? 'nobody'
const nameOf = ({ Labels }: ContainerInfo) => Labels[labelKeys.service] ?? Labels[labelKeys.role] ?? ''

const isRunningOn = (network: string, { State, NetworkSettings }: ContainerInfo) =>
  State === 'running' && (NetworkSettings.Networks[network]?.IPAddress ?? '') !== ''

/** `dead` names what was killed and stays so, as sandbox/service. */
export const disagreements = async ({ store, docker }: Installation, dead: ReadonlySet<string> = new Set()): Promise<string[]> => {
  const filters = { label: [...labelFilter({ installation: store.installation }).label, labelKeys.sandbox] } // objects that all sandboxes share have no sandbox label
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ])
  const rows = await store.sandboxes.listLive()
  const live = new Set(rows.map(({ id }) => id))

  const lacking = ({ id, containers: names }: SandboxRow): string[] => {
    const mine = containers.filter(({ Labels }) => sandboxIn(Labels) === id)
    const wanted = [...(JSON.parse(names) as string[]), 'probe'].filter((name) => !dead.has(`${id}/${name}`))
    const whole = (name: string) => mine.some((container) => nameOf(container) === name && isRunningOn(`lan-${id}`, container))
    return wanted.filter((name) => !whole(name)).map((name) => `${name} of ${id} does not run on its network`)
  }

  const objects = [
    ...containers.map(({ Labels, Names }) => ({ what: `container ${Names[0]}`, sandbox: sandboxIn(Labels), role: Labels[labelKeys.role] })),
    ...networks.map(({ Labels, Name }) => ({ what: `network ${Name}`, sandbox: sandboxIn(Labels), role: 'network' })),
    ...volumes.map(({ Labels, Name }) => ({ what: `volume ${Name}`, sandbox: sandboxIn(Labels), role: 'storage' })),
  ]
  const waiting = await store.slots.countQueued()
  return [
    ...rows.filter(({ status, pool_state }) => status === 'starting' && pool_state !== 'warm').map(({ id }) => `${id} is still starting`),
    ...rows.flatMap(lacking),
    ...objects.filter(({ sandbox, role }) => !live.has(sandbox) || role === 'helper').map(({ what }) => `${what} belongs to nothing`),
    ...(waiting > 0 ? [`${waiting} still wait`] : []),
  ]
}
