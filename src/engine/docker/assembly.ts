// Makes the parts of a sandbox in their order: networks, storage, the probe that holds it, services; then waits until they are
// ready. What was made by then stays when something fails: removing it is the caller's.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { readAnswer } from '../../answers.ts'
import type { Command, CommandResult, NetworkSpec, SandboxRequest, ServiceSpec, Target } from '../engine.ts'
import { packFiles } from './archive.ts'
import { call, type Docker } from './connection.ts'
import { type EngineLimits, endpoint, probeContainer, probeService, serviceContainer, volumeName } from './container.ts'
import type { ContainerIds } from './container-ids.ts'
import type { Images } from './images.ts'
import { labelsFor, type Marks, type NetworkPlace } from './labels.ts'
import { createNetwork, networkName, type SandboxNetwork, type ShapeNetwork } from './network.ts'
import type { Turns } from './per-sandbox-queue.ts'
import { mayPretend } from './static-arp.ts'

const ReadyAnswer = z.object({ ready: z.boolean() })

export interface AssemblyDeps {
  readonly docker: Docker
  readonly installation: string
  readonly images: Images
  readonly subnetPool: string
  readonly shapeNetwork: ShapeNetwork
  readonly turns: Turns
  readonly limits: () => Promise<EngineLimits>
  readonly known: ContainerIds['known']
  readonly execIn: (target: Target, command: Command) => Promise<CommandResult>
  readonly fixNeighbours: (sandbox: string) => Promise<void>
}

export const createAssembly = (deps: AssemblyDeps) => {
  const { docker, installation, images, limits, known, execIn } = deps
  const { gate, inTurn, startInTurn } = deps.turns

  const createVolumes = async (marks: Marks, service: ServiceSpec) => {
    const { mappedRoot } = await limits()
    const owner = mappedRoot === null ? [] : [`uid=${mappedRoot.uid}`, `gid=${mappedRoot.gid}`]
    for (const [index, storage] of service.storage.entries()) {
      const size = [
        `size=${storage.bytes}`,
        ...(storage.inodes === undefined ? [] : [`nr_inodes=${storage.inodes}`]),
        'mode=0755',
        ...owner,
      ]
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
      call(async () => docker.createContainer(probeContainer(marks, services, await images.referenceOf('probe'), places, await limits()))),
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
    const answer = result.exitCode === 0 ? readAnswer(ReadyAnswer, result.stdout.toString()) : { ready: false }
    if (!answer.ready) throw new Error(`not ready in ${topology.readyTimeoutSeconds} s: ${result.stdout}${result.stderr}`)
  }

  return async (request: SandboxRequest): Promise<void> => {
    const marks: Marks = { installation, sandbox: request.id, deadline: request.deadline }
    const { services, networks = [{ name: 'lan', services: services.map(({ name }) => name) }] } = request.topology
    const made: (SandboxNetwork & Pick<NetworkSpec, 'services'>)[] = []
    for (const { name, services: members } of networks) {
      const network = await gate(() => createNetwork(docker, marks, name, deps.subnetPool, deps.shapeNetwork))
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
    await Promise.all([ready, mayPretend(services) ? deps.fixNeighbours(request.id) : undefined])
  }
}
