// Lists and describes what exists on the engine, by its labels. Read-only.

import type { ContainerInfo } from 'dockerode'
import { isLabError } from '../../errors.ts'
import type { Engine, SandboxSummary, ServiceState } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { limitsOf } from './container-options.ts'
import { createdAtOf } from './docker-responses.ts'
import { labelFilter, labelKeys, objectLabelsOf } from './labels.ts'
import { isIntact } from './repair.ts'

export interface InventoryDeps {
  readonly docker: Docker
  readonly installation: string
  readonly containersOf: (sandbox: string) => Promise<readonly ContainerInfo[]>
}

const sandboxOf = ({ Labels }: { Labels?: Record<string, string> }) => objectLabelsOf(Labels)?.sandbox ?? ''

const addressesOf = ({ NetworkSettings }: ContainerInfo): string[] =>
  Object.entries(NetworkSettings.Networks)
    .sort(([left], [right]) => left.localeCompare(right))
    .flatMap(([, { IPAddress }]) => IPAddress || [])

export const createInventory = ({ docker, installation, containersOf }: InventoryDeps): Pick<Engine, 'describe' | 'list'> => {
  /** Null when the container was removed since it was listed. */
  const serviceState = async (summary: ContainerInfo): Promise<ServiceState | null> => {
    const container = await call(() => docker.getContainer(summary.Id).inspect()).catch((error: unknown) => {
      if (isLabError(error, 'not_found')) return null
      throw error
    })
    if (container === null) return null
    const { State: state, HostConfig: limits } = container
    return {
      name: summary.Labels[labelKeys.service] ?? '',
      running: state.Running,
      exitCode: state.Running ? null : state.ExitCode,
      oomKilled: state.OOMKilled,
      startedAt: state.Running ? new Date(state.StartedAt) : null,
      ...limitsOf(limits),
      addresses: addressesOf(summary),
      imageId: summary.ImageID,
    }
  }

  return {
    describe: async (sandbox) => {
      const containers = await containersOf(sandbox)
      const lasting = containers.filter((container) => container.Labels[labelKeys.role] !== 'helper')
      const services = lasting.filter((container) => container.Labels[labelKeys.role] === 'service')
      const deadline = objectLabelsOf(lasting[0]?.Labels)?.deadline
      if (deadline === undefined) return null
      const states = await Promise.all(services.map(serviceState))
      return { id: sandbox, deadline, services: states.filter((state) => state !== null) }
    },

    list: async () => {
      const filters = labelFilter({ installation })
      const [containers, networks, volumes] = await call(() =>
        Promise.all([docker.listContainers({ all: true, filters }), docker.listNetworks({ filters }), docker.listVolumes({ filters })]),
      )
      const networksOf = Map.groupBy(networks, sandboxOf)
      const containersIn = Map.groupBy(containers, sandboxOf)
      const summaries = new Map<string, SandboxSummary>()
      const note = (given: Record<string, string> | undefined, created: Date) => {
        const labels = objectLabelsOf(given)
        if (labels === null) return
        const earlier = summaries.get(labels.sandbox)
        summaries.set(labels.sandbox, {
          id: labels.sandbox,
          deadline: labels.deadline,
          intact: isIntact(networksOf.get(labels.sandbox) ?? [], containersIn.get(labels.sandbox) ?? []),
          createdAt: earlier !== undefined && earlier.createdAt < created ? earlier.createdAt : created,
        })
      }
      for (const container of containers) note(container.Labels, new Date(container.Created * 1000))
      for (const network of networks) note(network.Labels, new Date(network.Created))
      for (const volume of volumes.Volumes ?? []) note(volume.Labels, createdAtOf(volume))
      return [...summaries.values()]
    },
  }
}
