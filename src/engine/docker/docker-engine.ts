// Implements the engine port on the Docker API. All state is in labels on the engine, so this object can be recreated at any time.

import type { Container } from 'dockerode'
import { addMinutes, type Clock } from '../../clock.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import { type Command, type CommandResult, type Engine, type Target, unconfined } from '../engine.ts'
import { call, type Docker, ignoreMissing, pingInTime } from './connection.ts'
import { createContainerIds } from './container-ids.ts'
import {
  cpuShares,
  type EngineLimits,
  type EngineSidePowers,
  engineSideContainer,
  limitOptions,
  probeService,
} from './container-options.ts'
import { createCreation } from './creation.ts'
import type { Uplink } from './daemon/uplink.ts'
import { createDiskMeter } from './disk-meter.ts'
import { searchPathOf } from './docker-responses.ts'
import { readEngineFeatures } from './engine-features.ts'
import { execInContainer, openExec } from './exec.ts'
import { describeFailure, firewallCommand, firewallPowers } from './firewall.ts'
import { runContainer } from './follow-command.ts'
import { createImages } from './images.ts'
import { createInspectors } from './inspectors.ts'
import { createInventory } from './inventory.ts'
import { checkIsolation } from './isolation/check.ts'
import { createKeyedSemaphore } from './keyed-semaphore.ts'
import { createKill } from './kill-group.ts'
import { attachmentsOf, labelFilter, labelKeys, type ObjectLabels } from './labels.ts'
import { createLayerChanges } from './layer-changes.ts'
import { isolatedNetwork, maxServices, type ShapeNetwork } from './network.ts'
import { createPerSandboxQueue } from './per-sandbox-queue.ts'
import { createRemoval } from './removal.ts'
import { repair } from './repair.ts'
import { requireStartable } from './require-startable.ts'
import { createRunners } from './runner/runners.ts'
import { createServiceEvents } from './service-events.ts'
import { createStaticArp } from './static-arp.ts'
import { openTerminal } from './terminal.ts'
import { openView } from './view/view.ts'

export interface DockerEngineOptions {
  readonly docker: Docker
  readonly clock: Clock
  readonly installation: string
  readonly imagesFolder: string
  /** Gives the engine internet access while it builds images. */
  readonly uplink?: Uplink
  readonly subnetPool: string
  readonly runtime: string | undefined
  /** How networks are created; only tests use another way than isolated ones. */
  readonly network?: ShapeNetwork
}

const helperMinutes = 5
/** Killing a command takes a short-lived helper container; this limits how many one sandbox causes at a time. */
const helpersPerSandbox = 2

/** The port, and what undoes `prepare`. */
export interface DockerEngine extends Engine {
  removeFirewall(): Promise<void>
  removeInspectors(): Promise<void>
}

export const createDockerEngine = (options: DockerEngineOptions): DockerEngine => {
  const { docker, clock, installation } = options
  const images = createImages(docker, options.imagesFolder, options.uplink)
  const shapeNetwork = options.network ?? isolatedNetwork
  const queue = createPerSandboxQueue(docker)
  const { inTurn, startInTurn, stopInTurn } = queue
  let measured: EngineLimits | undefined

  const helperLabels = (sandbox: string): ObjectLabels => ({
    installation,
    sandbox,
    deadline: addMinutes(clock.now(), helperMinutes),
  })

  const containersOf = (sandbox: string) =>
    call(() => docker.listContainers({ all: true, filters: labelFilter({ installation, sandbox }) }))

  const probeImage = () => images.referenceOf('probe')
  const { known, containerId, serviceId, forget: forgetIds } = createContainerIds(containersOf)

  const helperSlots = createKeyedSemaphore(helpersPerSandbox, helperMinutes * 60_000)
  const runEngineSide = async (sandbox: string, command: Command, powers: EngineSidePowers): Promise<CommandResult> => {
    const release = await helperSlots.take(sandbox)
    try {
      return await runContainer(docker, engineSideContainer(helperLabels(sandbox), await probeImage(), command.argv, powers), command)
    } finally {
      release()
    }
  }

  const fixArpEntries = createStaticArp({ containersOf, runEngineSide })
  const kill = createKill({ docker, runEngineSide })
  const killGroup = kill.group
  const runners = createRunners({ docker, kill })

  const prepare: Engine['prepare'] = async (progress) => {
    await call(() => pingInTime(docker))
    await images.ensureAll(['probe'], progress)
    const features = await readEngineFeatures(docker, options.runtime)
    const result = await runEngineSide('firewall', firewallCommand('add'), firewallPowers)
    if (result.exitCode !== 0) throw new Error(`the firewall rule for sandboxes cannot be set: ${describeFailure(result)}`)
    const openFiles = Number(result.stdout.toString().trim())
    measured = {
      ...features,
      openFiles: Number.isInteger(openFiles) && openFiles > 0 ? openFiles : Number.MAX_SAFE_INTEGER,
      runtime: options.runtime,
    }
  }

  const limits = async (): Promise<EngineLimits> => {
    if (measured === undefined) await prepare(() => undefined)
    return measured as EngineLimits
  }

  const inspectors = createInspectors({ docker, installation, serviceId, image: probeImage, limits })

  const layerChanges = createLayerChanges({ docker, container: inspectors.container, start: inspectors.start })

  const inventory = createInventory({ docker, installation, containersOf })

  const forget = (sandbox: string) => {
    forgetIds(sandbox)
    runners.close((_, owner) => owner === sandbox)
  }

  const noticeEnd = async <T>(sandbox: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (isLabError(error, 'not_found')) forget(sandbox)
      throw error
    }
  }

  const execIn = async (target: Target, command: Command): Promise<CommandResult> => {
    const id = await containerId(target)
    return noticeEnd(target.sandbox, () => execInContainer(docker, id, command, killGroup(target.sandbox)))
  }

  const { subnetPool } = options
  const createSandbox = createCreation({
    docker,
    installation,
    images,
    subnetPool,
    shapeNetwork,
    queue,
    limits,
    known,
    execIn,
    fixArpEntries,
  })
  const remove = createRemoval({ docker, clock, installation, containersOf, queue })

  const networksOf = async (container: Container): Promise<number> => {
    const { Config } = await call(() => container.inspect())
    return attachmentsOf(Config.Labels).length
  }

  const destroy: Engine['destroy'] = (sandbox) => {
    forget(sandbox)
    return remove(sandbox)
  }

  const engine: Engine = {
    ping: async () => {
      await call(() => pingInTime(docker))
    },
    prepare,
    ensureImages: (names, progress) => images.ensureAll(['probe', ...names], progress),
    checkIsolation: async (interrupted = new AbortController().signal) => {
      const deps = { docker, clock, engine, probeImage: await probeImage(), installation, features: await limits() }
      return checkIsolation(deps, interrupted)
    },
    confinesCapabilities: async () => (await limits()).confinesCapabilities,

    create: async (request) => {
      if (request.topology.services.length > maxServices) throw new LabError('sandbox_start_failed', `more than ${maxServices} services`)
      if (request.topology.services.some(({ name }) => name === probeService)) {
        throw new LabError('sandbox_start_failed', `${probeService} is a reserved name`)
      }
      const isStrong = request.topology.services.some(({ capabilities }) => capabilities.length > 0)
      if (isStrong && !(await limits()).confinesCapabilities) throw unconfined()
      try {
        await createSandbox(request)
      } catch (error) {
        await destroy(request.id).catch((second: unknown) => {
          if (!isLabError(second, 'engine_unavailable')) throw second
        })
        if (isLabError(error, 'engine_unavailable')) throw error
        throw new LabError('sandbox_start_failed', `the sandbox could not be started: ${messageOf(error)}`, { cause: error })
      }
    },

    destroy,

    freeze: async (sandbox) => {
      const services = (await containersOf(sandbox)).filter(({ Labels }) => Labels[labelKeys.role] === 'service')
      const paused = services.map(({ Id }) => docker.getContainer(Id).pause())
      await Promise.allSettled(paused) // a container that does not run cannot be paused
    },

    exec: async (target, command) => {
      const id = await serviceId(target)
      return (await noticeEnd(target.sandbox, () => runners.run(target.sandbox, id, command))) ?? execIn(target, command)
    },

    execDirect: async (target, command) => {
      await serviceId(target)
      return execIn(target, command)
    },

    openProbe: async (sandbox, argv) => openExec(docker, await containerId({ sandbox, service: probeService }), argv),
    openInspector: inspectors.open,

    restart: async (target) => {
      const id = await serviceId(target)
      runners.close((container) => container === id)
      const container = docker.getContainer(id)
      const networks = await networksOf(container)
      await stopInTurn(target.sandbox, container, networks)
      await requireStartable(container)
      await startInTurn(target.sandbox, container, networks)
    },

    kill: async (target) => {
      const id = await serviceId(target)
      runners.close((container) => container === id)
      await call(() => docker.getContainer(id).kill()).catch((error: unknown) => {
        if (!isLabError(error, 'container_not_running')) throw error
      })
    },

    limit: async (target, limits) => {
      const id = await serviceId(target)
      await call(() => docker.getContainer(id).update(limitOptions(limits)))
    },

    prioritize: async (sandbox, prioritized) => {
      const containers = await containersOf(sandbox)
      await Promise.all(containers.map(({ Id }) => ignoreMissing(() => docker.getContainer(Id).update(cpuShares(prioritized)))))
    },

    openView: async ({ sandbox, service }, { beforeChange }) =>
      openView({
        ...{ docker, installation, home: service, beforeChange },
        homeId: await serviceId({ sandbox, service }),
        containers: () => containersOf(sandbox),
        inTurn: (work) => inTurn(sandbox, work),
        startInTurn: async (id) => {
          const container = docker.getContainer(id)
          await requireStartable(container)
          await startInTurn(sandbox, container, await networksOf(container))
        },
        closeRunner: (id) => runners.close((container) => container === id),
        killGroup: killGroup(sandbox),
      }),

    terminal: async (target, options) => openTerminal(docker, await serviceId(target), options, killGroup(target.sandbox)),

    repair: async (sandbox) => {
      forget(sandbox)
      const startedAgain = await repair({ docker, installation, shapeNetwork, inTurn }, sandbox)
      await fixArpEntries(sandbox)
      return startedAgain
    },

    changes: async (target) => layerChanges.of(await serviceId(target)),
    searchPath: async (target) => searchPathOf((await call(async () => docker.getContainer(await serviceId(target)).inspect())).Config.Env),
    observers: probeImage,
    inspectNothing: layerChanges.nothing,
    describe: inventory.describe,
    ...createServiceEvents(docker, installation),
    list: inventory.list,
    openDiskMeter: () => createDiskMeter({ docker, installation, probeImage }),
  }

  return {
    ...engine,
    removeInspectors: inspectors.remove,
    removeFirewall: async () => {
      await runEngineSide('firewall', firewallCommand('remove'), firewallPowers)
    },
  }
}
