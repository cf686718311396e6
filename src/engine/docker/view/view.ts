// A container view: gives one service a docker command that sees its own sandbox only. A relay in the container and a broker here
// are connected by the relay's standard input and output: no mount, no network, no state.

import { join } from 'node:path'
import type { ContainerInfo } from 'dockerode'
import { LabError } from '../../../errors.ts'
import type { View, ViewOptions } from '../../engine.ts'
import { call, type Docker } from '../connection.ts'
import { processOf } from '../exec.ts'
import { drainMs } from '../follow-command.ts'
import type { KillGroup } from '../kill-group.ts'
import { readPerlProgram } from '../perl-programs.ts'
import { outcomeWithin } from '../streams.ts'
import { createBroker } from './broker.ts'
import { createExecs } from './execs.ts'
import { createRelay } from './relay.ts'
import { createRoutes } from './routes.ts'
import { createServiceActions, type ServiceActionsDeps } from './service-actions.ts'
import { createThrottle } from './throttle.ts'
import { createVisibleContainers } from './visible-containers.ts'

const program = readPerlProgram(join(import.meta.dirname, 'relay.pl'))
const socketPath = '/var/run/docker.sock'
const helloMs = 10_000
/** The rate limit of a view in bytes, including what requests cost: enough to read logs, too little to overload the service. */
const perSecond = 4 * 1024 ** 2

export interface OpenViewDeps extends ViewOptions, Pick<ServiceActionsDeps, 'inTurn' | 'startInTurn' | 'closeRunner' | 'home'> {
  readonly docker: Docker
  readonly installation: string
  /** The container in which the view runs. */
  readonly homeId: string
  /** Every container of the sandbox. */
  readonly containers: () => Promise<readonly ContainerInfo[]>
  readonly killGroup: KillGroup
}

export const openView = async (deps: OpenViewDeps): Promise<View> => {
  const { docker, homeId, killGroup } = deps
  const exec = await call(() =>
    docker.getContainer(homeId).exec({
      Cmd: ['perl', '-e', program, socketPath],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    }),
  )
  const raw = await call(() => exec.start({ hijack: true, stdin: true }))
  const throttle = createThrottle({ perSecond, burst: 2 * perSecond })
  const execs = createExecs(deps)
  const routes = createRoutes({ docker, seen: createVisibleContainers(deps), changes: createServiceActions(deps), execs })
  const broker = createBroker({ routes, execs, throttle })
  const relay = createRelay({ raw, throttle, onConnection: broker.serve })

  /** A genuine relay ends when its input does; one that was replaced is killed. */
  const leave = async () => {
    raw.end()
    if ((await outcomeWithin(relay.gone, drainMs)) === 'timeout') relay.end()
    const leader = await processOf(exec)
    if (leader !== null) await killGroup(leader, homeId)
  }
  const closed = relay.gone.then(leave).catch(() => undefined) // the container, or its engine, has ended

  const greeted = Promise.race([relay.ready.then(() => true), relay.gone.then(() => false)])
  const inTime = (await outcomeWithin(greeted, helloMs)) === 'done'
  if (inTime && (await greeted)) {
    return {
      closed,
      close: async () => {
        await leave()
        await closed
      },
    }
  }
  relay.end()
  await closed
  throw new LabError('command_not_started', 'the container command could not be opened', {
    hint: 'something in the container keeps its relay from running, or from listening',
  })
}
