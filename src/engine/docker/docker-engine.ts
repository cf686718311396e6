// The engine port on the Docker API. Labels are its only memory: it can be dropped and made again at any moment.

import type { Duplex } from 'node:stream'
import type { Container } from 'dockerode'
import { addMinutes, type Clock } from '../../clock.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import { createGate, type Gate } from '../../gate.ts'
import type { Command, CommandResult, Engine, NetworkSpec, SandboxRequest, ServiceSpec, Target } from '../engine.ts'
import { packFiles } from './archive.ts'
import { createCensus } from './census.ts'
import { call, type Docker, ignoreMissing, pingInTime } from './connection.ts'
import {
  type EngineLimits,
  type EngineSidePowers,
  endpoint,
  engineSideContainer,
  probeContainer,
  probeService,
  serviceContainer,
  sized,
  volumeName,
} from './container.ts'
import { createContainerIds } from './container-ids.ts'
import { createDiskMeter } from './disk.ts'
import { execInContainer, leaderOf, openExec } from './exec.ts'
import { describeFailure, firewallCommand } from './firewall.ts'
import { createImages } from './images.ts'
import { createInspectors } from './inspectors.ts'
import { checkIsolation } from './isolation.ts'
import { createJoins } from './joins.ts'
import { createKill } from './kill.ts'
import { labelFilter, labelKeys, labelsFor, type Marks, type NetworkPlace, placesOf } from './labels.ts'
import { mend } from './mend.ts'
import { createNeighbours, mayPretend } from './neighbours.ts'
import { createNetwork, isolatedNetwork, maxServices, networkName, type SandboxNetwork, type ShapeNetwork } from './network.ts'
import { runContainer } from './run.ts'
import { createRunners } from './runner/runners.ts'
import { requireStartable } from './start.ts'
import { openView } from './view/view.ts'

export interface DockerEngineOptions {
  readonly docker: Docker
  readonly clock: Clock
  readonly installation: string
  readonly imagesFolder: string
  readonly subnetPool: string
  readonly runtime: string | undefined
  /** How networks are made; other than isolated only where a test shows what then happens. */
  readonly network?: ShapeNetwork
}

/** The daemon is slower, not faster, with more at once. */
const concurrentOperations = 8
const destroyAttempts = 10
const helperMinutes = 5
/** Docker takes a sequence of keys for itself; this one is nobody's, so that every key reaches the shell. */
const unlikelyKeys = 'ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-@,ctrl-^,ctrl-_,ctrl-@'

/** The port, and what takes back what `prepare` set up. */
export interface DockerEngine extends Engine {
  removeFirewall(): Promise<void>
  removeInspectors(): Promise<void>
}

export const createDockerEngine = (options: DockerEngineOptions): DockerEngine => {
  const { docker, clock, installation } = options
  const images = createImages(docker, options.imagesFolder)
  const gate = createGate(concurrentOperations)
  const shapeNetwork = options.network ?? isolatedNetwork
  const turns = new Map<string, Gate>()
  let measured: EngineLimits | undefined

  const turnOf = (sandbox: string): Gate => {
    const turn = turns.get(sandbox) ?? createGate(1)
    turns.set(sandbox, turn)
    return turn
  }

  /**
   * One at a time in each sandbox: Docker miscounts the endpoints of a network when several of its containers come or go at
   * once, and then never lets go of the network.
   */
  const inTurn = <T>(sandbox: string, work: () => Promise<T>): Promise<T> => {
    return turnOf(sandbox)(() => gate(() => call(work)))
  }

  const joins = createJoins(docker)

  /** Like `inTurn`, for a start: the next one's turn comes as soon as this one is in its networks. */
  const startInTurn = async (sandbox: string, container: Container, networks: number): Promise<void> => {
    let started: Promise<unknown> = Promise.resolve()
    await turnOf(sandbox)(
      () =>
        new Promise<void>((joined) => {
          started = gate(() => joins.watch(container.id, networks, () => call(() => container.start()), joined))
          started.catch(() => undefined) // awaited below
        }),
    )
    await started
  }

  const helperMarks = (sandbox: string): Marks => ({
    installation,
    sandbox,
    deadline: addMinutes(clock.now(), helperMinutes),
  })

  const containersOf = (sandbox: string) =>
    call(() => docker.listContainers({ all: true, filters: labelFilter({ installation, sandbox }) }))

  const probeImage = () => images.referenceOf('probe')
  const { known, containerId, serviceId, forget: forgetIds } = createContainerIds(containersOf)

  const runEngineSide = async (sandbox: string, command: Command, powers: EngineSidePowers): Promise<CommandResult> =>
    runContainer(docker, engineSideContainer(helperMarks(sandbox), await probeImage(), command.argv, powers), command)

  const fixNeighbours = createNeighbours({ containersOf, runEngineSide })
  const kill = createKill({ docker, runEngineSide })
  const killGroup = kill.group
  const runners = createRunners({ docker, kill })

  const prepare: Engine['prepare'] = async (progress) => {
    await call(() => pingInTime(docker))
    await images.ensureAll(['probe'], progress)
    const powers = { NetworkMode: 'host', CapAdd: ['NET_ADMIN', 'NET_RAW'] }
    const result = await runEngineSide('firewall', firewallCommand('add'), powers)
    if (result.exitCode !== 0) throw new Error(`the firewall rule for sandboxes cannot be set: ${describeFailure(result)}`)
    const openFiles = Number(result.stdout.toString().trim())
    measured = { openFiles: Number.isInteger(openFiles) && openFiles > 0 ? openFiles : Number.MAX_SAFE_INTEGER, runtime: options.runtime }
  }

  const limits = async (): Promise<EngineLimits> => {
    if (measured === undefined) await prepare(() => undefined)
    return measured as EngineLimits
  }

  const inspectors = createInspectors({ docker, installation, serviceId, image: probeImage, limits })

  const census = createCensus({ docker, installation, containersOf })

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

  const createVolumes = async (marks: Marks, service: ServiceSpec) => {
    for (const [index, storage] of service.storage.entries()) {
      const size = [`size=${storage.bytes}`, ...(storage.inodes === undefined ? [] : [`nr_inodes=${storage.inodes}`]), 'mode=0755']
      await call(() =>
        docker.createVolume({
          Name: volumeName(marks.sandbox, service.name, index),
          Driver: 'local',
          DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: size.join(',') },
          Labels: labelsFor(marks, 'storage', service.name),
        }),
      )
    }
  }

  /** A container begins on its first network; the others are told before it starts. */
  const joinOthers = async ({ sandbox }: Marks, container: Container, alias: string, [, ...others]: readonly NetworkPlace[]) => {
    for (const { network, address } of others) {
      const EndpointConfig = endpoint(address, alias)
      const docked = docker.getNetwork(networkName(sandbox, network))
      await inTurn(sandbox, () => docked.connect({ Container: container.id, EndpointConfig }))
    }
  }

  const startService = async (marks: Marks, service: ServiceSpec, places: readonly NetworkPlace[]) => {
    const reference = await images.referenceOf(service.image)
    const container = await gate(async () =>
      call(async () => docker.createContainer(serviceContainer(marks, service, reference, places, await limits()))),
    )
    known.set(`${marks.sandbox}/${service.name}`, container.id)
    if (service.files.length > 0) await gate(() => call(async () => container.putArchive(await packFiles(service.files), { path: '/' })))
    await joinOthers(marks, container, service.name, places)
    await startInTurn(marks.sandbox, container, places.length)
  }

  const startProbe = async (marks: Marks, services: readonly ServiceSpec[], places: readonly NetworkPlace[]) => {
    const container = await gate(async () =>
      call(async () => docker.createContainer(probeContainer(marks, services, await probeImage(), places, await limits()))),
    )
    known.set(`${marks.sandbox}/${probeService}`, container.id)
    await joinOthers(marks, container, probeService, places)
    await startInTurn(marks.sandbox, container, places.length)
  }

  const waitUntilReady = async ({ id, topology }: SandboxRequest) => {
    const probes = topology.services.flatMap((service) => (service.ready === undefined ? [] : [service.ready]))
    if (probes.length === 0) return
    const timeoutMs = topology.readyTimeoutSeconds * 1000
    const result = await execIn(
      { sandbox: id, service: probeService },
      {
        argv: ['python3', '/opt/probe/wait.py'],
        stdin: JSON.stringify({ timeout_ms: timeoutMs, probes }),
        timeoutMs: timeoutMs + 5_000,
        outputBytes: 65_536,
      },
    )
    const answer = result.exitCode === 0 ? (JSON.parse(result.stdout.toString()) as { ready: boolean }) : { ready: false }
    if (!answer.ready) throw new Error(`not ready in ${topology.readyTimeoutSeconds} s: ${result.stdout}${result.stderr}`)
  }

  const build = async (request: SandboxRequest) => {
    const marks: Marks = { installation, sandbox: request.id, deadline: request.deadline }
    const { services, networks = [{ name: 'lan', services: services.map(({ name }) => name) }] } = request.topology
    const made: (SandboxNetwork & Pick<NetworkSpec, 'services'>)[] = []
    for (const { name, services: members } of networks) {
      const network = await gate(() => createNetwork(docker, marks, name, options.subnetPool, shapeNetwork))
      made.push({ ...network, services: members })
    }
    for (const service of services) await createVolumes(marks, service)
    const probe = startProbe(
      marks,
      services,
      made.map(({ name, probeAddress }) => ({ network: name, address: probeAddress })),
    )
    const startWhenHeld = async (service: ServiceSpec, index: number) => {
      if (service.storage.length > 0) await probe
      const its = made.filter((network) => network.services.includes(service.name))
      const places = its.map(({ name, serviceAddress }) => ({ network: name, address: serviceAddress(index) }))
      await startService(marks, service, places)
    }
    const ready = probe.then(() => waitUntilReady(request))
    ready.catch(() => undefined) // awaited once everything is started
    const failed = (await Promise.allSettled([probe, ...services.map(startWhenHeld)])).find((start) => start.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    request.onStarted?.()
    await Promise.all([ready, mayPretend(services) ? fixNeighbours(request.id) : undefined])
  }

  /** Docker holds on to a container that still asks for names of those that have gone; the customers ask for all of them. */
  const probeFirst = <T extends { readonly Labels: Readonly<Record<string, string>> }>(containers: readonly T[]): T[] =>
    containers.toSorted((a, b) => Number(b.Labels[labelKeys.role] === 'probe') - Number(a.Labels[labelKeys.role] === 'probe'))

  const removeOnce = async (sandbox: string): Promise<boolean> => {
    const filters = labelFilter({ installation, sandbox })
    const containers = await containersOf(sandbox)
    for (const { Id } of probeFirst(containers)) {
      await inTurn(sandbox, () => ignoreMissing(() => docker.getContainer(Id).remove({ force: true, v: true })))
    }
    const networks = await call(() => docker.listNetworks({ filters }))
    await Promise.all(networks.map(({ Id }) => gate(() => ignoreMissing(() => docker.getNetwork(Id).remove()))))
    const { Volumes: volumes } = await call(() => docker.listVolumes({ filters }))
    await Promise.all((volumes ?? []).map(({ Name }) => ignoreMissing(() => docker.getVolume(Name).remove())))
    return containers.length + networks.length + (volumes ?? []).length === 0
  }

  /** Somebody else may be removing the same things: what resists is tried again a little later. */
  const destroy: Engine['destroy'] = async (sandbox) => {
    forget(sandbox)
    let last: unknown = new Error(`sandbox ${sandbox} could not be removed`)
    for (let attempt = 0; attempt < destroyAttempts; attempt += 1) {
      try {
        if (await removeOnce(sandbox)) return void turns.delete(sandbox)
      } catch (error) {
        if (isLabError(error, 'engine_unavailable')) throw error
        last = error
      }
      if (attempt > 0) await clock.sleep(100 * attempt)
    }
    throw last
  }

  const engine: Engine = {
    ping: async () => {
      await call(() => pingInTime(docker))
    },
    prepare,
    ensureImages: (names, progress) => images.ensureAll(['probe', ...names], progress),
    checkIsolation: async () => checkIsolation({ docker, clock, engine, probeImage: await probeImage(), installation }),

    create: async (request) => {
      if (request.topology.services.length > maxServices) throw new LabError('sandbox_start_failed', `more than ${maxServices} services`)
      if (request.topology.services.some(({ name }) => name === probeService)) {
        throw new LabError('sandbox_start_failed', `${probeService} is a reserved name`)
      }
      try {
        await build(request)
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
      await Promise.allSettled(paused) // what does not run need not be held
    },

    exec: async (target, command) => {
      const id = await serviceId(target)
      return (await noticeEnd(target.sandbox, () => runners.run(target.sandbox, id, command))) ?? execIn(target, command)
    },

    execDirect: async (target, command) => {
      await serviceId(target)
      return execIn(target, command)
    },

    probe: (sandbox, command) => execIn({ sandbox, service: probeService }, command),
    openProbe: async (sandbox, argv) => openExec(docker, await containerId({ sandbox, service: probeService }), argv),
    openInspector: inspectors.open,

    restart: async (target) => {
      const id = await serviceId(target)
      runners.close((container) => container === id)
      const container = docker.getContainer(id)
      await inTurn(target.sandbox, async () => {
        await ignoreMissing(() => container.stop())
        await requireStartable(container)
        await container.start()
      })
    },

    limit: async (target, limits) => {
      const id = await serviceId(target)
      await call(() => docker.getContainer(id).update(sized(limits)))
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
          const { Config } = await call(() => container.inspect())
          await startInTurn(sandbox, container, placesOf(Config.Labels).length)
        },
        letGo: (id) => runners.close((container) => container === id),
        killGroup: killGroup(sandbox),
      }),

    terminal: async (target, { argv, columns, rows }) => {
      const id = await serviceId(target)
      const exec = await call(() =>
        docker.getContainer(id).exec({
          Cmd: [...argv],
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: true,
          DetachKeys: unlikelyKeys,
          Env: ['TERM=xterm-256color'],
        }),
      )
      const stream: Duplex = await call(() => exec.start({ hijack: true, stdin: true, Tty: true }))
      /** What has ended has no size. */
      const resize = async (w: number, h: number) => {
        try {
          await call(() => exec.resize({ w, h }))
        } catch (error) {
          if (!isLabError(error, 'not_found') && !isLabError(error, 'container_not_running')) throw error
        }
      }
      const close = async () => {
        const leader = await leaderOf(exec)
        if ((await call(() => exec.inspect())).Running) await killGroup(target.sandbox)(leader, id)
        stream.destroy()
      }
      try {
        await resize(columns, rows)
      } catch (error) {
        await close().catch(() => undefined) // a busy engine refuses the size of a shell that it has only just begun
        throw error
      }
      return { stream, resize, close }
    },

    mend: async (sandbox) => {
      forget(sandbox)
      const startedAgain = await mend({ docker, installation, shapeNetwork, inTurn }, sandbox)
      await fixNeighbours(sandbox)
      return startedAgain
    },

    describe: census.describe,
    list: census.list,
    openDiskMeter: () => createDiskMeter({ docker, installation, probeImage }),
  }

  return {
    ...engine,
    removeInspectors: inspectors.remove,
    removeFirewall: async () => {
      await runEngineSide('firewall', firewallCommand('remove'), { NetworkMode: 'host', CapAdd: ['NET_ADMIN', 'NET_RAW'] })
    },
  }
}
