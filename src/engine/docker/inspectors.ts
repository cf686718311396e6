// Starts inspectors: programs that read files and processes of services for grading. All inspectors of an installation run in one
// container in the engine's pid namespace, without a network, so that a sandbox can neither see nor stop them. Each limits its
// own resources (see inspect_service.py), and each service has only a few at a time.

import { isLabError, LabError } from '../../errors.ts'
import { retry } from '../../polling.ts'
import type { Channel, Target } from '../engine.ts'
import { call, type Docker, ignoreMissing, startUnlessRunning, statusCodeOf } from './connection.ts'
import { type EngineLimits, inspectorContainer } from './container-options.ts'
import { readInfo } from './docker-responses.ts'
import { type ExecChannel, openExec } from './exec.ts'
import { createKeyedSemaphore } from './keyed-semaphore.ts'
import { killSession } from './kill-group.ts'
import { labelFilter } from './labels.ts'
import { createPrestartedChannels } from './prestarted-channels.ts'

/** One that works, and one that is about to end. */
const mostPerService = 2
const turnMs = 20_000
/** Without arguments it waits for a line that says what they would be. */
const inspector = ['python3', '/opt/probe/inspect_service.py']
const creationMs = 10_000

export interface InspectorsDeps {
  readonly docker: Docker
  readonly installation: string
  readonly serviceId: (target: Target) => Promise<string>
  readonly image: () => Promise<string>
  readonly limits: () => Promise<EngineLimits>
}

export const createInspectors = ({ docker, installation, serviceId, image, limits }: InspectorsDeps) => {
  const filters = labelFilter({ installation, role: 'inspector' })
  let known: Promise<string> | undefined
  /** Keyed by sandbox and service. */
  const slots = createKeyedSemaphore(mostPerService, turnMs)

  const removeAll = async (): Promise<void> => {
    const found = await call(() => docker.listContainers({ all: true, filters }))
    await Promise.all(found.map(({ Id }) => ignoreMissing(() => docker.getContainer(Id).remove({ force: true }))))
  }

  const find = async (): Promise<string | undefined> => {
    const [found] = await call(() => docker.listContainers({ all: true, filters }))
    if (found === undefined) return undefined
    const isCurrent = found.Image === (await image())
    if (isCurrent && found.State === 'running') return found.Id
    if (isCurrent && found.State === 'created') {
      // another server is about to start it, or has ended before it could
      await startUnlessRunning(docker.getContainer(found.Id))
      return found.Id
    }
    await removeAll()
    return undefined
  }

  const create = async (): Promise<string> => {
    const { DockerRootDir } = await readInfo(docker)
    const container = await docker.createContainer(inspectorContainer(installation, await image(), DockerRootDir, await limits()))
    await startUnlessRunning(container)
    return container.id
  }

  /** Another server of this installation may be creating the same container. */
  const findOrCreate = (): Promise<string> =>
    retry(
      async () => (await find()) ?? (await call(create)),
      (error) => statusCodeOf(error) === 409,
      { pauseMs: () => 100, withinMs: creationMs },
    )

  /** Whoever sees that it does not run forgets that one, and none that another has found meanwhile. */
  const forget = (ended: Promise<string>) => {
    if (known === ended) known = undefined
  }

  const findKnown = (): Promise<string> => {
    if (known !== undefined) return known
    const finding = findOrCreate()
    known = finding
    finding.catch(() => forget(finding))
    return finding
  }

  const isRunning = async (id: string): Promise<boolean> => {
    try {
      const { State: state } = await call(() => docker.getContainer(id).inspect())
      return state.Running && !state.Paused
    } catch (error) {
      if (isLabError(error, 'not_found')) return false
      throw error
    }
  }

  /**
   * Created when it is first needed; later servers find and use it. It is asked for each time: whoever has a channel into a
   * container that was killed is not always told.
   */
  const container = async (): Promise<string> => {
    const found = findKnown()
    const id = await found
    if (await isRunning(id)) return id
    forget(found)
    return findKnown()
  }

  /** Of a service: the pid of its main process on the engine's host, and the id of its container. */
  const mainProcess = async (target: Target): Promise<string[]> => {
    const id = await serviceId(target)
    const { State: state, Id } = await call(() => docker.getContainer(id).inspect())
    if (!state.Running || state.Pid <= 1) throw new LabError('container_not_running', `${target.service} is not running`)
    return [String(state.Pid), Id]
  }

  const start = async (argv: readonly string[]): Promise<ExecChannel> => {
    const id = await container()
    return openExec(docker, id, argv, { killTimedOut: killSession(docker, id) })
  }

  const spares = createPrestartedChannels(() => start(inspector))

  /** Its container may end just then. */
  const startOnceOrTwice = (argv: readonly string[]): Promise<ExecChannel> => start(argv).catch(() => start(argv))

  const startPatiently = async (service: string, argv: readonly string[]): Promise<Channel> => {
    try {
      return await startOnceOrTwice(argv)
    } catch (error) {
      throw new Error(`the inspector of ${service} does not run`, { cause: error })
    }
  }

  const startFor = async (service: string, main: readonly string[], argv: readonly string[] | undefined): Promise<Channel> => {
    const spare = argv === undefined ? spares.take(await container()) : undefined
    spare?.stream.write(`${main.join(' ')}\n`)
    return spare ?? startPatiently(service, [...(argv ?? inspector), ...main])
  }

  return {
    /** The id of the container in which inspectors run. */
    container,

    /** Runs a program there that is about no service in particular. */
    start: startOnceOrTwice,

    open: async (target: Target, argv?: readonly string[]): Promise<Channel> => {
      const release = await slots.take(`${target.sandbox}/${target.service}`)
      try {
        const main = await mainProcess(target) // not before its turn: the service may have restarted while this waited
        const channel = await startFor(target.service, main, argv)
        channel.stream.once('end', spares.clear).once('end', release)
        const close = async () => {
          channel.stream.off('end', spares.clear)
          try {
            await channel.close()
          } finally {
            release()
          }
        }
        return { stream: channel.stream, close }
      } catch (error) {
        release()
        throw error
      }
    },
    remove: async (): Promise<void> => {
      known = undefined
      await removeAll()
    },
  }
}
