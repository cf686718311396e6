// Programs of ours that look at the services of a sandbox. They run in one container for each sandbox, made when it is first
// needed, and end with it.

import type { ContainerCreateOptions, ContainerInfo } from 'dockerode'
import { LabError } from '../../errors.ts'
import type { Channel, Target } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { openExec } from './exec.ts'
import { labelKeys, type Marks, marksOf } from './labels.ts'

export interface InspectorsDeps {
  readonly docker: Docker
  readonly containersOf: (sandbox: string) => Promise<readonly ContainerInfo[]>
  readonly serviceId: (target: Target) => Promise<string>
  /** How the container of a sandbox's inspectors is made. */
  readonly shapeFor: (marks: Marks) => Promise<ContainerCreateOptions>
}

export const createInspectors = ({ docker, containersOf, serviceId, shapeFor }: InspectorsDeps) => {
  const watches = new Map<string, Promise<string>>()

  const startWatch = async (sandbox: string): Promise<string> => {
    const containers = await containersOf(sandbox)
    const running = containers.find(({ Labels, State }) => Labels[labelKeys.role] === 'inspector' && State === 'running')
    if (running !== undefined) return running.Id
    const marks = marksOf(containers.find(({ Labels }) => Labels[labelKeys.role] === 'probe')?.Labels)
    if (marks === null) throw new LabError('not_found', `there is no sandbox ${sandbox}`)
    const container = await call(async () => docker.createContainer(await shapeFor(marks)))
    await call(() => container.start())
    return container.id
  }

  const watchOf = (sandbox: string): Promise<string> => {
    const started = watches.get(sandbox) ?? startWatch(sandbox)
    watches.set(sandbox, started)
    started.catch(() => watches.delete(sandbox))
    return started
  }

  /** The number on the engine's host of a service's main process. */
  const mainProcess = async (target: Target): Promise<number> => {
    const id = await serviceId(target)
    const { State: state } = await call(() => docker.getContainer(id).inspect())
    if (!state.Running || state.Pid <= 1) throw new LabError('container_not_running', `${target.service} is not running`)
    return state.Pid
  }

  return {
    open: async (target: Target, argv: readonly string[]): Promise<Channel> => {
      const main = await mainProcess(target)
      const watch = await watchOf(target.sandbox)
      try {
        return await openExec(docker, watch, [...argv, String(main)])
      } catch (error) {
        watches.delete(target.sandbox)
        throw new Error(`the inspector of ${target.service} does not run`, { cause: error })
      }
    },

    forget: (sandbox: string) => void watches.delete(sandbox),
  }
}
