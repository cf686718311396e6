// Finds the container id of a service by its labels, and caches it, because every command needs it.

import type { ContainerInfo } from 'dockerode'
import { LabError } from '../../errors.ts'
import type { Target } from '../engine.ts'
import { probeService } from './container-options.ts'
import { labelKeys } from './labels.ts'

export const createContainerIds = (containersOf: (sandbox: string) => Promise<readonly ContainerInfo[]>) => {
  const known = new Map<string, string>()

  const containerId = async ({ sandbox, service }: Target): Promise<string> => {
    const key = `${sandbox}/${service}`
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const role = service === probeService ? 'probe' : 'service'
    for (const container of await containersOf(sandbox)) {
      if (container.Labels[labelKeys.role] === 'probe') known.set(`${sandbox}/${probeService}`, container.Id)
      const name = container.Labels[labelKeys.service]
      if (name !== undefined) known.set(`${sandbox}/${name}`, container.Id)
    }
    const found = known.get(key)
    if (found === undefined) throw new LabError('not_found', `there is no ${role} ${service} in sandbox ${sandbox}`)
    return found
  }

  return {
    known,
    containerId,

    /** Of a service that users can enter, never of the probe. */
    serviceId: (target: Target): Promise<string> => {
      if (target.service === probeService) throw new LabError('not_found', `there is no service ${target.service}`)
      return containerId(target)
    },

    forget: (sandbox: string) => {
      for (const key of known.keys()) if (key.startsWith(`${sandbox}/`)) known.delete(key)
    },
  }
}

export type ContainerIds = ReturnType<typeof createContainerIds>
