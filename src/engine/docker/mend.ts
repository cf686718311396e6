// Puts a sandbox together again that lost its network, or whose containers ended with the engine that ran them. What a user
// stopped stays stopped: only where our own probe does not run, the sandbox went down as a whole.

import type { ContainerInfo } from 'dockerode'
import { LabError } from '../../errors.ts'
import { call, type Docker } from './connection.ts'
import { endpoint, probeService } from './container.ts'
import { labelFilter, labelKeys, marksOf } from './labels.ts'
import { type NetworkShape, recreateNetwork } from './network.ts'

export interface MendDeps {
  readonly docker: Docker
  readonly installation: string
  readonly networkShape: (sandbox: string) => NetworkShape
  readonly inTurn: <T>(sandbox: string, work: () => Promise<T>) => Promise<T>
}

const roleOf = ({ Labels }: ContainerInfo) => Labels[labelKeys.role]
const isRunning = ({ State }: ContainerInfo) => State === 'running'

/** True for a probe that should run and does not. */
export const isHalted = (container: ContainerInfo): boolean => roleOf(container) === 'probe' && !isRunning(container)

/** Returns whether its containers had to be started again. */
export const mend = async ({ docker, installation, networkShape, inTurn }: MendDeps, sandbox: string): Promise<boolean> => {
  const filters = labelFilter({ installation, sandbox })
  const containers = await call(() => docker.listContainers({ all: true, filters }))
  const probe = containers.find((container) => roleOf(container) === 'probe')
  const marks = marksOf(probe?.Labels)
  const probeAddress = probe?.Labels[labelKeys.address]
  if (probe === undefined || marks === null || probeAddress === undefined) throw new LabError('not_found', `there is no sandbox ${sandbox}`)

  if ((await call(() => docker.listNetworks({ filters }))).length === 0) {
    const network = await recreateNetwork(docker, marks, probeAddress, networkShape(sandbox))
    for (const { Id, Labels } of containers) {
      const address = Labels[labelKeys.address]
      if (address === undefined) continue
      const EndpointConfig = endpoint(address, Labels[labelKeys.service] ?? probeService)
      await inTurn(sandbox, () => network.connect({ Container: Id, EndpointConfig }))
    }
  }
  if (isRunning(probe)) return false
  const others = containers.filter((container) => container !== probe && roleOf(container) !== 'helper' && !isRunning(container))
  for (const { Id } of [probe, ...others]) await inTurn(sandbox, () => docker.getContainer(Id).start())
  return true
}
