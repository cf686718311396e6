// Puts a sandbox together again that lost its network, or whose containers ended with the engine that ran them. What a user
// stopped stays stopped: only where our own probe does not run, the sandbox went down as a whole.

import type { ContainerInfo, NetworkInspectInfo } from 'dockerode'
import { isLabError, LabError } from '../../errors.ts'
import { call, type Docker } from './connection.ts'
import { endpoint, probeService } from './container.ts'
import { labelFilter, labelKeys, marksOf } from './labels.ts'
import { type NetworkShape, networkName, recreateNetwork } from './network.ts'
import { requireStartable } from './start.ts'

export interface MendDeps {
  readonly docker: Docker
  readonly installation: string
  readonly networkShape: (sandbox: string) => NetworkShape
  readonly inTurn: <T>(sandbox: string, work: () => Promise<T>) => Promise<T>
}

const roleOf = ({ Labels }: ContainerInfo) => Labels[labelKeys.role]
const isRunning = ({ State }: ContainerInfo) => State === 'running'

/** What does not run is on a network by name only, until it starts. */
const isOn = ({ Id }: NetworkInspectInfo, { NetworkSettings }: ContainerInfo) =>
  Object.values(NetworkSettings.Networks).some(({ NetworkID }) => NetworkID === Id || NetworkID === '')

/** What should be on the network of its sandbox has an address there. */
const cutOff = (network: NetworkInspectInfo | undefined, containers: readonly ContainerInfo[]) =>
  containers.filter(
    (container) => container.Labels[labelKeys.address] !== undefined && (network === undefined || !isOn(network, container)),
  )

/** Whether all containers of a sandbox are on its network, and its probe runs. */
export const isWhole = (network: NetworkInspectInfo | undefined, containers: readonly ContainerInfo[]): boolean =>
  network !== undefined &&
  cutOff(network, containers).length === 0 &&
  containers.some((container) => roleOf(container) === 'probe' && isRunning(container))

/** Returns whether its containers had to be started again. Whatever cuts it short, the next one goes on where it ended. */
export const mend = async ({ docker, installation, networkShape, inTurn }: MendDeps, sandbox: string): Promise<boolean> => {
  const filters = labelFilter({ installation, sandbox })
  const findNetwork = async () => (await call(() => docker.listNetworks({ filters })))[0]
  const containers = await call(() => docker.listContainers({ all: true, filters }))
  const probe = containers.find((container) => roleOf(container) === 'probe')
  const marks = marksOf(probe?.Labels)
  const probeAddress = probe?.Labels[labelKeys.address]
  if (probe === undefined || marks === null || probeAddress === undefined) throw new LabError('not_found', `there is no sandbox ${sandbox}`)

  if ((await findNetwork()) === undefined) await recreateNetwork(docker, marks, probeAddress, networkShape(sandbox))
  for (const { Id, Labels } of cutOff(await findNetwork(), containers)) {
    const EndpointConfig = endpoint(Labels[labelKeys.address] as string, Labels[labelKeys.service] ?? probeService)
    await inTurn(sandbox, () => docker.getNetwork(networkName(sandbox)).connect({ Container: Id, EndpointConfig }))
  }
  if (isRunning(probe)) return false
  const others = containers.filter((container) => container !== probe && roleOf(container) !== 'helper' && !isRunning(container))
  for (const { Id } of others) {
    const container = docker.getContainer(Id)
    const isStartable = await requireStartable(container).then(
      () => true,
      (error: unknown) => {
        if (isLabError(error, 'container_not_running')) return false // its users' own doing: it stays stopped
        throw error
      },
    )
    if (isStartable) await inTurn(sandbox, () => container.start())
  }
  await inTurn(sandbox, () => docker.getContainer(probe.Id).start())
  return true
}
