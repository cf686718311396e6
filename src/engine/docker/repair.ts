// Repairs a sandbox that lost a network, or whose containers ended with the engine. Containers that a user stopped stay stopped:
// the others are started only if the probe does not run either, which shows that the whole sandbox went down.

import type { ContainerInfo, NetworkInspectInfo } from 'dockerode'
import { isLabError, LabError } from '../../errors.ts'
import { call, type Docker } from './connection.ts'
import { endpoint, probeService } from './container-options.ts'
import { attachmentsOf, labelFilter, labelKeys, type NetworkAttachment, objectLabelsOf } from './labels.ts'
import { networkName, recreateNetwork, type ShapeNetwork } from './network.ts'
import { requireStartable } from './require-startable.ts'

export interface RepairDeps {
  readonly docker: Docker
  readonly installation: string
  readonly shapeNetwork: ShapeNetwork
  readonly inTurn: <T>(sandbox: string, work: () => Promise<T>) => Promise<T>
}

const roleOf = ({ Labels }: ContainerInfo) => Labels[labelKeys.role]
const isRunning = ({ State }: ContainerInfo) => State === 'running'
const named = (networks: readonly NetworkInspectInfo[], name: string) => networks.find(({ Labels }) => Labels?.[labelKeys.network] === name)

/** A stopped container is attached to a network by name only. */
const isOn = ({ Id, Name }: NetworkInspectInfo, { NetworkSettings }: ContainerInfo) => {
  const { NetworkID } = NetworkSettings.Networks[Name] ?? {}
  return NetworkID === Id || NetworkID === ''
}

/** The networks that a container should be on and is not. */
const missingAttachments = (networks: readonly NetworkInspectInfo[], container: ContainerInfo): NetworkAttachment[] =>
  attachmentsOf(container.Labels).filter(({ network }) => {
    const found = named(networks, network)
    return found === undefined || !isOn(found, container)
  })

/** Whether all containers of a sandbox are on their networks, and its probe runs. */
export const isIntact = (networks: readonly NetworkInspectInfo[], containers: readonly ContainerInfo[]): boolean =>
  containers.every((container) => missingAttachments(networks, container).length === 0) &&
  containers.some((container) => roleOf(container) === 'probe' && isRunning(container))

/** Returns whether its containers had to be started again. A repair that was interrupted is completed by the next one. */
export const repair = async ({ docker, installation, shapeNetwork, inTurn }: RepairDeps, sandbox: string): Promise<boolean> => {
  const filters = labelFilter({ installation, sandbox })
  const findNetworks = () => call(() => docker.listNetworks({ filters }))
  const containers = await call(() => docker.listContainers({ all: true, filters }))
  const probe = containers.find((container) => roleOf(container) === 'probe')
  const labels = objectLabelsOf(probe?.Labels)
  if (probe === undefined || labels === null) throw new LabError('not_found', `there is no sandbox ${sandbox}`)

  const before = await findNetworks()
  for (const attachment of attachmentsOf(probe.Labels)) {
    if (named(before, attachment.network) === undefined) await recreateNetwork(docker, labels, attachment, shapeNetwork)
  }
  const networks = await findNetworks()
  for (const container of containers) {
    for (const { network, address } of missingAttachments(networks, container)) {
      const EndpointConfig = endpoint(address, container.Labels[labelKeys.service] ?? probeService)
      await inTurn(sandbox, () => docker.getNetwork(networkName(sandbox, network)).connect({ Container: container.Id, EndpointConfig }))
    }
  }
  if (isRunning(probe)) return false
  const others = containers.filter((container) => container !== probe && roleOf(container) !== 'helper' && !isRunning(container))
  for (const { Id } of others) {
    const container = docker.getContainer(Id)
    const isStartable = await requireStartable(container).then(
      () => true,
      (error: unknown) => {
        if (isLabError(error, 'container_not_running')) return false // a user made it unstartable: it stays stopped
        throw error
      },
    )
    if (isStartable) await inTurn(sandbox, () => container.start())
  }
  await inTurn(sandbox, () => docker.getContainer(probe.Id).start())
  return true
}
