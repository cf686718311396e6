// The engine port on the Docker API. Labels are its only memory: it can be dropped and made again at any moment.

import type { Duplex } from 'node:stream'
import { addMinutes, type Clock } from '../../clock.ts'
import { isLabError, LabError, messageOf } from '../../errors.ts'
import { createGate, type Gate } from '../../gate.ts'
import type { Command, CommandResult, Engine, SandboxRequest, SandboxTrace, ServiceSpec, ServiceState, Target } from '../engine.ts'
import { packFiles } from './archive.ts'
import { call, type Docker, ignoreMissing, pingInTime } from './connection.ts'
import {
  type EngineLimits,
  engineSideContainer,
  inspectorContainer,
  inspectorService,
  probeContainer,
  probeService,
  serviceContainer,
  volumeName,
  watchContainer,
} from './container.ts'
import { describeFailure, firewallCommand } from './firewall.ts'
import { createImages } from './images.ts'
import { checkIsolation } from './isolation.ts'
import { labelFilter, labelKeys, labelsFor, type Marks, marksOf } from './labels.ts'
import { createNetwork, isolatedNetwork, maxServices, type NetworkShape, type SandboxNetwork } from './network.ts'
import { execInContainer, killScript, leaderOf, openExec, runContainer } from './run.ts'

export interface DockerEngineOptions {
  readonly docker: Docker
  readonly clock: Clock
  readonly installation: string
  readonly imagesFolder: string
  readonly subnetPool: string
  readonly runtime: string | undefined
  /** How the network of a sandbox is made; other than isolated only where a test shows what then happens. */
  readonly network?: (sandbox: string) => NetworkShape
}

/** The daemon is slower, not faster, with more at once. */
const concurrentOperations = 8
const destroyAttempts = 10
const helperMinutes = 5
/** Docker takes a sequence of keys for itself; this one is nobody's, so that every key reaches the shell. */
const unlikelyKeys = 'ctrl-^,ctrl-_,ctrl-^,ctrl-_,ctrl-@,ctrl-^,ctrl-_,ctrl-@'

export const createDockerEngine = (options: DockerEngineOptions): Engine & { removeFirewall(): Promise<void> } => {
  const { docker, clock, installation } = options
  const images = createImages(docker, options.imagesFolder)
  const gate = createGate(concurrentOperations)
  const networkShape = options.network ?? isolatedNetwork
  const known = new Map<string, string>()
  const watches = new Map<string, Promise<string>>()
  const turns = new Map<string, Gate>()
  let measured: EngineLimits | undefined

  /**
   * One at a time in each sandbox: Docker miscounts the endpoints of a network when several of its containers come or go at
   * once, and then never lets go of the network.
   */
  const inTurn = <T>(sandbox: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(sandbox) ?? createGate(1)
    turns.set(sandbox, turn)
    return turn(() => gate(() => call(work)))
  }

  const helperMarks = (sandbox: string): Marks => ({
    installation,
    sandbox,
    deadline: addMinutes(clock.now(), helperMinutes),
  })

  const containersOf = (sandbox: string) =>
    call(() => docker.listContainers({ all: true, filters: labelFilter({ installation, sandbox }) }))

  const probeImage = () => images.referenceOf('probe')

  const runEngineSide = async (
    sandbox: string,
    command: Command,
    powers: Parameters<typeof engineSideContainer>[3],
  ): Promise<CommandResult> =>
    runContainer(docker, engineSideContainer(helperMarks(sandbox), await probeImage(), command.argv, powers), command)

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

  const forget = (sandbox: string) => {
    for (const key of known.keys()) if (key.startsWith(`${sandbox}/`)) known.delete(key)
    watches.delete(sandbox)
  }

  const serviceId = (target: Target): Promise<string> => {
    if (target.service === probeService) throw new LabError('not_found', `there is no service ${target.service}`)
    return containerId(target)
  }

  /** Made when it is first needed; it ends with its sandbox. */
  const startWatch = async (sandbox: string): Promise<string> => {
    const containers = await containersOf(sandbox)
    const running = containers.find(({ Labels, State }) => Labels[labelKeys.role] === 'inspector' && State === 'running')
    if (running !== undefined) return running.Id
    const marks = marksOf(containers.find(({ Labels }) => Labels[labelKeys.role] === 'probe')?.Labels)
    if (marks === null) throw new LabError('not_found', `there is no sandbox ${sandbox}`)
    const container = await call(async () => docker.createContainer(watchContainer(marks, await probeImage(), await limits())))
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

  const killGroup = (sandbox: string) => async (leader: number, container: string) => {
    const main = (await call(() => docker.getContainer(container).inspect())).State.Pid
    if (leader <= 1 || main <= 1) return
    const command: Command = { argv: ['sh', '-c', killScript, 'kill', String(leader), String(main)], timeoutMs: 20_000, outputBytes: 4096 }
    await runEngineSide(sandbox, command, { PidMode: 'host', CapAdd: ['KILL', 'SYS_PTRACE'] })
  }

  const execIn = async (target: Target, command: Command): Promise<CommandResult> => {
    const id = await containerId(target)
    try {
      return await execInContainer(docker, id, command, killGroup(target.sandbox))
    } catch (error) {
      if (isLabError(error, 'not_found')) forget(target.sandbox)
      throw error
    }
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

  const startService = async (marks: Marks, service: ServiceSpec, network: SandboxNetwork, address: string) => {
    const reference = await images.referenceOf(service.image)
    const container = await gate(async () =>
      call(async () => docker.createContainer(serviceContainer(marks, service, reference, network, address, await limits()))),
    )
    known.set(`${marks.sandbox}/${service.name}`, container.id)
    if (service.files.length > 0) await gate(() => call(async () => container.putArchive(await packFiles(service.files), { path: '/' })))
    await inTurn(marks.sandbox, () => container.start())
  }

  const startProbe = async (marks: Marks, services: readonly ServiceSpec[], network: SandboxNetwork) => {
    const container = await gate(async () =>
      call(async () => docker.createContainer(probeContainer(marks, services, await probeImage(), network, await limits()))),
    )
    known.set(`${marks.sandbox}/${probeService}`, container.id)
    await inTurn(marks.sandbox, () => container.start())
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
    const { services } = request.topology
    const network = await gate(() => createNetwork(docker, marks, options.subnetPool, networkShape(request.id)))
    for (const service of services) await createVolumes(marks, service)
    const probe = startProbe(marks, services, network)
    const startWhenHeld = async (service: ServiceSpec, index: number) => {
      if (service.storage.length > 0) await probe
      await startService(marks, service, network, network.serviceAddress(index))
    }
    const starts = [probe, ...services.map(startWhenHeld)]
    const failed = (await Promise.allSettled(starts)).find((start) => start.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    await waitUntilReady(request)
  }

  const removeOnce = async (sandbox: string): Promise<boolean> => {
    const filters = labelFilter({ installation, sandbox })
    const containers = await containersOf(sandbox)
    for (const { Id } of containers) {
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

  /** Null when the container has gone since it was listed. */
  const serviceState = async (summary: Awaited<ReturnType<typeof containersOf>>[number]): Promise<ServiceState | null> => {
    const state = await call(() => docker.getContainer(summary.Id).inspect()).then(
      (container) => container.State,
      (error: unknown) => {
        if (isLabError(error, 'not_found')) return null
        throw error
      },
    )
    if (state === null) return null
    return {
      name: summary.Labels[labelKeys.service] ?? '',
      running: state.Running,
      exitCode: state.Running ? null : state.ExitCode,
      address: Object.values(summary.NetworkSettings.Networks)[0]?.IPAddress || null,
      imageId: summary.ImageID,
    }
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
      if (request.topology.services.some(({ name }) => [probeService, inspectorService].includes(name))) {
        throw new LabError('sandbox_start_failed', `${probeService} and ${inspectorService} are reserved names`)
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

    exec: async (target, command) => {
      await serviceId(target)
      return execIn(target, command)
    },

    probe: (sandbox, command) => execIn({ sandbox, service: probeService }, command),

    inspector: async (target, command) => {
      const id = await serviceId(target)
      const container = inspectorContainer(helperMarks(target.sandbox), id, await probeImage(), command.argv, await limits())
      return runContainer(docker, container, command)
    },

    openProbe: async (sandbox, argv) => openExec(docker, await containerId({ sandbox, service: probeService }), argv),

    openInspector: async (target, argv) => {
      const main = await mainProcess(target)
      const watch = await watchOf(target.sandbox)
      try {
        return await openExec(docker, watch, [...argv, String(main)])
      } catch (error) {
        watches.delete(target.sandbox)
        throw new Error(`the inspector of ${target.service} does not run`, { cause: error })
      }
    },

    restart: async (target) => {
      const id = await serviceId(target)
      await inTurn(target.sandbox, () => docker.getContainer(id).restart())
    },

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

    describe: async (sandbox) => {
      const containers = await containersOf(sandbox)
      const lasting = containers.filter((container) => container.Labels[labelKeys.role] !== 'helper')
      const services = lasting.filter((container) => container.Labels[labelKeys.role] === 'service')
      const deadline = marksOf(lasting[0]?.Labels)?.deadline
      if (deadline === undefined) return null
      const states = await Promise.all(services.map(serviceState))
      return { id: sandbox, deadline, services: states.filter((state) => state !== null) }
    },

    list: async () => {
      const filters = labelFilter({ installation })
      const [containers, networks, volumes] = await call(() =>
        Promise.all([docker.listContainers({ all: true, filters }), docker.listNetworks({ filters }), docker.listVolumes({ filters })]),
      )
      const traces = new Map<string, SandboxTrace>()
      const note = (labels: Record<string, string> | undefined, created: Date) => {
        const marks = marksOf(labels)
        if (marks === null) return
        const earlier = traces.get(marks.sandbox)
        traces.set(marks.sandbox, {
          id: marks.sandbox,
          deadline: marks.deadline,
          createdAt: earlier !== undefined && earlier.createdAt < created ? earlier.createdAt : created,
        })
      }
      for (const container of containers) note(container.Labels, new Date(container.Created * 1000))
      for (const network of networks) note(network.Labels, new Date(network.Created))
      for (const volume of volumes.Volumes ?? []) note(volume.Labels, new Date((volume as { CreatedAt?: string }).CreatedAt ?? 0))
      return [...traces.values()]
    },
  }

  return {
    ...engine,
    removeFirewall: async () => {
      await runEngineSide('firewall', firewallCommand('remove'), { NetworkMode: 'host', CapAdd: ['NET_ADMIN', 'NET_RAW'] })
    },
  }
}
