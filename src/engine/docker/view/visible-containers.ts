// The containers that a view shows: the services of its own sandbox, with ids of the view. The engine's own ids and names are not
// accepted, so that knowing one is useless.

import { createHmac } from 'node:crypto'
import type { ContainerInfo } from 'dockerode'
import { labelKeys } from '../labels.ts'
import { Refusal } from './requests.ts'

export interface VisibleContainer {
  /** 64 hexadecimal digits, the same for as long as the container exists. */
  readonly id: string
  /** The name of the service. */
  readonly name: string
  readonly engineId: string
  readonly info: ContainerInfo
}

export const opaqueId = (installation: string, engineId: string): string =>
  createHmac('sha256', `view of ${installation}`).update(engineId).digest('hex')

const leastPrefix = 1

export interface VisibleContainersDeps {
  readonly installation: string
  /** All containers of the sandbox, including the probe. */
  readonly containers: () => Promise<readonly ContainerInfo[]>
}

export const createVisibleContainers = ({ installation, containers }: VisibleContainersDeps) => {
  const all = async (): Promise<VisibleContainer[]> => {
    const services = (await containers()).filter(({ Labels }) => Labels[labelKeys.role] === 'service')
    return services.map((info) => ({
      id: opaqueId(installation, info.Id),
      name: info.Labels[labelKeys.service] ?? '',
      engineId: info.Id,
      info,
    }))
  }

  return {
    all,

    /** By name, id, or unique prefix of an id. */
    find: async (reference: string): Promise<VisibleContainer> => {
      const seen = await all()
      const exact = seen.find(({ id, name }) => id === reference || name === reference)
      if (exact !== undefined) return exact
      const begun = reference.length >= leastPrefix ? seen.filter(({ id }) => id.startsWith(reference)) : []
      if (begun.length > 1) throw new Refusal(400, `Multiple IDs found with provided prefix: ${reference}`)
      if (begun[0] === undefined) throw new Refusal(404, `No such container: ${reference}`)
      return begun[0]
    },
  }
}

export type VisibleContainers = ReturnType<typeof createVisibleContainers>
