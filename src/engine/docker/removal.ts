// Removes everything that exists of a sandbox.

import type { ContainerInfo } from 'dockerode'
import type { Clock } from '../../clock.ts'
import { isLabError } from '../../errors.ts'
import { call, type Docker, ignoreMissing } from './connection.ts'
import { labelFilter, labelKeys } from './labels.ts'
import type { PerSandboxQueue } from './per-sandbox-queue.ts'

export interface RemovalDeps {
  readonly docker: Docker
  readonly clock: Clock
  readonly installation: string
  readonly containersOf: (sandbox: string) => Promise<readonly ContainerInfo[]>
  readonly queue: PerSandboxQueue
}

const attempts = 10

/** The probe is removed first: its traffic keeps looking up the names of removed services, which delays its own removal. */
const probeFirst = <T extends { readonly Labels: Readonly<Record<string, string>> }>(containers: readonly T[]): T[] =>
  containers.toSorted((a, b) => Number(b.Labels[labelKeys.role] === 'probe') - Number(a.Labels[labelKeys.role] === 'probe'))

export const createRemoval = ({ docker, clock, installation, containersOf, queue }: RemovalDeps) => {
  const { limited, inTurn } = queue

  const removeOnce = async (sandbox: string): Promise<boolean> => {
    const filters = labelFilter({ installation, sandbox })
    const containers = await containersOf(sandbox)
    for (const { Id } of probeFirst(containers)) {
      await inTurn(sandbox, () => ignoreMissing(() => docker.getContainer(Id).remove({ force: true, v: true })))
    }
    const networks = await call(() => docker.listNetworks({ filters }))
    await Promise.all(networks.map(({ Id }) => limited(() => ignoreMissing(() => docker.getNetwork(Id).remove()))))
    const { Volumes: volumes } = await call(() => docker.listVolumes({ filters }))
    await Promise.all((volumes ?? []).map(({ Name }) => ignoreMissing(() => docker.getVolume(Name).remove())))
    return containers.length + networks.length + (volumes ?? []).length === 0
  }

  /** Another server may be removing the same objects, so failed removals are retried a little later. */
  return async (sandbox: string): Promise<void> => {
    let last: unknown = new Error(`sandbox ${sandbox} could not be removed`)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      try {
        if (await removeOnce(sandbox)) return void queue.forget(sandbox)
      } catch (error) {
        if (isLabError(error, 'engine_unavailable')) throw error
        last = error
      }
      if (attempt > 0) await clock.sleep(100 * attempt)
    }
    throw last
  }
}
