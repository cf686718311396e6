// Creates the parts of a sandbox in order: networks, storage, the probe that keeps the storage mounted, services. Then waits
// until they are ready. On failure the caller removes what was created.

import type { Container } from 'dockerode'
import { z } from 'zod'
import { parseCheckedJson } from '../../checked-json.ts'
import type { Command, CommandResult, SandboxRequest, Target } from '../engine.ts'
import type { NetworkSpec, ServiceSpec } from '../topology.ts'
import { packFiles } from './archive.ts'
import { call, type Docker } from './connection.ts'
import type { ContainerIds } from './container-ids.ts'
import { type EngineLimits, endpoint, probeContainer, probeService, serviceContainer, volumeName } from './container-options.ts'
import type { Images } from './images.ts'
import { labelsFor, type NetworkAttachment, type ObjectLabels } from './labels.ts'
import { createNetwork, networkName, type SandboxNetwork, type ShapeNetwork } from './network.ts'
import type { PerSandboxQueue } from './per-sandbox-queue.ts'
import { canSpoof } from './static-arp.ts'

const ReadyAnswer = z.object({ ready: z.boolean() })

export interface CreationDeps {
  readonly docker: Docker
  readonly installation: string
  readonly images: Images
  readonly subnetPool: string
  readonly shapeNetwork: ShapeNetwork
  readonly queue: PerSandboxQueue
  readonly limits: () => Promise<EngineLimits>
  readonly known: ContainerIds['known']
  readonly execIn: (target: Target, command: Command) => Promise<CommandResult>
  readonly fixArpEntries: (sandbox: string) => Promise<void>
}

export const createCreation = (deps: CreationDeps) => {
  const { docker, installation, images, limits, known, execIn } = deps
  const { limited, inTurn, startInTurn } = deps.queue

  const createVolumes = async (labels: ObjectLabels, service: ServiceSpec) => {
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
          Name: volumeName(labels.sandbox, service.name, index),
          Driver: 'local',
          DriverOpts: { type: 'tmpfs', device: 'tmpfs', o: size.join(',') },
          Labels: labelsFor(labels, 'storage', service.name),
        }),
      )
    }
  }

  /** A container is created on its first network and connected to the others before it starts. */
  const joinOthers = async (
    { sandbox }: ObjectLabels,
    container: Container,
    alias: string,
    [, ...others]: readonly NetworkAttachment[],
  ) => {
    for (const { network, address } of others) {
      const EndpointConfig = endpoint(address, alias)
      const docked = docker.getNetwork(networkName(sandbox, network))
      await inTurn(sandbox, () => docked.connect({ Container: container.id, EndpointConfig }))
    }
  }

  const startService = async (labels: ObjectLabels, service: ServiceSpec, attachments: readonly NetworkAttachment[]) => {
    const reference = await images.referenceOf(service.image)
    const container = await limited(async () =>
      call(async () => docker.createContainer(serviceContainer(labels, service, reference, attachments, await limits()))),
    )
    known.set(`${labels.sandbox}/${service.name}`, container.id)
    if (service.files.length > 0) await limited(() => call(async () => container.putArchive(await packFiles(service.files), { path: '/' })))
    await joinOthers(labels, container, service.name, attachments)
    await startInTurn(labels.sandbox, container, attachments.length)
  }

  const startProbe = async (labels: ObjectLabels, services: readonly ServiceSpec[], attachments: readonly NetworkAttachment[]) => {
    const container = await limited(async () =>
      call(async () =>
        docker.createContainer(probeContainer(labels, services, await images.referenceOf('probe'), attachments, await limits())),
      ),
    )
    known.set(`${labels.sandbox}/${probeService}`, container.id)
    await joinOthers(labels, container, probeService, attachments)
    await startInTurn(labels.sandbox, container, attachments.length)
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
    const answer = result.exitCode === 0 ? parseCheckedJson(ReadyAnswer, result.stdout.toString()) : { ready: false }
    if (!answer.ready) throw new Error(`not ready in ${topology.readyTimeoutSeconds} s: ${result.stdout}${result.stderr}`)
  }

  return async (request: SandboxRequest): Promise<void> => {
    const labels: ObjectLabels = { installation, sandbox: request.id, deadline: request.deadline }
    const { services, networks = [{ name: 'lan', services: services.map(({ name }) => name) }] } = request.topology
    const made: (SandboxNetwork & Pick<NetworkSpec, 'services'>)[] = []
    for (const { name, services: members } of networks) {
      const network = await limited(() => createNetwork(docker, labels, name, deps.subnetPool, deps.shapeNetwork))
      made.push({ ...network, services: members })
    }
    for (const service of services) await createVolumes(labels, service)
    const probe = startProbe(
      labels,
      services,
      made.map(({ name, probeAddress }) => ({ network: name, address: probeAddress })),
    )
    const startWhenHeld = async (service: ServiceSpec, index: number) => {
      if (service.storage.length > 0) await probe
      const its = made.filter((network) => network.services.includes(service.name))
      const attachments = its.map(({ name, serviceAddress }) => ({ network: name, address: serviceAddress(index) }))
      await startService(labels, service, attachments)
    }
    const ready = probe.then(() => waitUntilReady(request))
    ready.catch(() => undefined) // awaited once everything is started
    const failed = (await Promise.allSettled([probe, ...services.map(startWhenHeld)])).find((start) => start.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    request.onStarted?.()
    await Promise.all([ready, canSpoof(services) ? deps.fixArpEntries(request.id) : undefined])
  }
}
