// The changes that a view may make to a service: start, stop, restart, kill, update. One container of a sandbox at a time.

import type { ContainerInspectInfo } from 'dockerode'
import { isLabError } from '../../../errors.ts'
import { call, type Docker, ignoreMissing, statusCodeOf } from '../connection.ts'
import { authoredLimits, limitOptions, limitsOf } from '../container-options.ts'
import { stopSignalOf } from '../docker-responses.ts'
import { parseUpdate, Refusal } from './requests.ts'
import type { VisibleContainer } from './visible-containers.ts'

export interface ServiceActionsDeps {
  readonly docker: Docker
  /** The service in which the view runs. */
  readonly home: string
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  readonly startInTurn: (engineId: string) => Promise<void>
  /** Called before a container ends, to close its runner. */
  readonly closeRunner: (engineId: string) => void
  /** Awaited before anything changes. */
  readonly beforeChange: () => Promise<void>
}

export const createServiceActions = ({ docker, home, inTurn, startInTurn, closeRunner, beforeChange }: ServiceActionsDeps) => {
  const inspect = (seen: VisibleContainer): Promise<ContainerInspectInfo> => call(() => docker.getContainer(seen.engineId).inspect())

  const refuseHome = ({ name }: VisibleContainer) => {
    if (name === home) throw new Refusal(409, 'you are working on this container: it cannot be stopped or changed from inside')
  }

  const kill = async ({ engineId, name }: VisibleContainer, signal: string): Promise<void> => {
    try {
      await call(() => docker.getContainer(engineId).kill({ signal }))
    } catch (error) {
      if (isLabError(error, 'container_not_running')) throw new Refusal(409, `Container ${name} is not running`)
      if (statusCodeOf(error) === 400) throw new Refusal(400, `Invalid signal: ${signal}`)
      throw error
    }
  }

  /** Sends the stop signal and waits outside the sandbox's queue, so that other operations are not delayed. */
  const end = async (seen: VisibleContainer, { Config }: ContainerInspectInfo, graceSeconds: number): Promise<void> => {
    closeRunner(seen.engineId)
    const container = docker.getContainer(seen.engineId)
    const signal = stopSignalOf(Config)
    await kill(seen, signal).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
    const inTime = { condition: 'not-running', abortSignal: AbortSignal.timeout(Math.max(1, graceSeconds * 1000)) } as const
    await container.wait(inTime).catch(() => undefined) // what takes longer is killed
    await inTurn(() => ignoreMissing(() => container.stop({ t: 0 })))
  }

  const start = async ({ engineId }: VisibleContainer): Promise<void> => {
    try {
      await startInTurn(engineId)
    } catch (error) {
      if (isLabError(error, 'container_not_running')) throw new Refusal(409, error.message)
      throw error
    }
  }

  const setLimits = async (seen: VisibleContainer, limits: Parameters<typeof limitOptions>[0]): Promise<void> => {
    try {
      await call(() => docker.getContainer(seen.engineId).update(limitOptions(limits)))
    } catch (error) {
      if (isLabError(error)) throw error
      throw new Refusal(409, `the limits of ${seen.name} could not be set: it may be using more than that`)
    }
  }

  return {
    inspect,

    start: async (seen: VisibleContainer): Promise<void> => {
      await beforeChange()
      if ((await inspect(seen)).State.Running) throw new Refusal(304, 'already started')
      await start(seen)
    },

    stop: async (seen: VisibleContainer, graceSeconds: number): Promise<void> => {
      refuseHome(seen)
      await beforeChange()
      const state = await inspect(seen)
      if (!state.State.Running) throw new Refusal(304, 'already stopped')
      await end(seen, state, graceSeconds)
    },

    restart: async (seen: VisibleContainer, graceSeconds: number): Promise<void> => {
      refuseHome(seen)
      await beforeChange()
      const state = await inspect(seen)
      if (state.State.Running) await end(seen, state, graceSeconds)
      await start(seen)
    },

    kill: async (seen: VisibleContainer, signal: string): Promise<void> => {
      refuseHome(seen)
      await beforeChange()
      await kill(seen, signal)
    },

    update: async (seen: VisibleContainer, body: unknown): Promise<void> => {
      await beforeChange()
      const current = limitsOf((await inspect(seen)).HostConfig)
      const limits = parseUpdate(body, authoredLimits(seen.info.Labels) ?? current, current)
      if (Object.keys(limits).length > 0) await setLimits(seen, limits)
    },
  }
}

export type Changes = ReturnType<typeof createServiceActions>
