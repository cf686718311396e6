// What a container of a sandbox may do: capabilities, limits, name resolution. Pure: specifications in, options out.

import type { ContainerCreateOptions, HostConfig } from 'dockerode'
import type { ServiceLimits, ServiceSpec } from '../engine.ts'
import { attachmentsLabel, labelKeys, labelsFor, meterRole, type NetworkAttachment, type ObjectLabels } from './labels.ts'
import { deadResolver, networkName } from './network.ts'
import { seccompProfile } from './seccomp.ts'
import type { EngineTraits } from './traits.ts'

const defaultCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE']
const wantedOpenFiles = 8192
const largestFileBytes = 1024 ** 3
const shmBytes = 16 * 1024 ** 2

/** What the engine is like and allows at most, measured once. */
export interface EngineLimits extends EngineTraits {
  readonly openFiles: number
  readonly runtime: string | undefined
}

export const containerName = (sandbox: string, service: string) => `${service}-${sandbox}`
/** On the wire, and in reverse lookups, the probe is the customers. */
export const probeService = 'clients'
export const volumeName = (sandbox: string, service: string, index: number) => `${service}-${sandbox}-${index}`
const holdPath = (service: string, index: number) => `/hold/${service}/${index}`

const hardened = (limits: EngineLimits): HostConfig => ({
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges:true', `seccomp=${seccompProfile(limits)}`],
  Privileged: false,
  IpcMode: 'private',
  ShmSize: shmBytes,
  RestartPolicy: { Name: 'no' },
  LogConfig: { Type: 'json-file', Config: { 'max-size': '4m', 'max-file': '2' } },
  Ulimits: [
    { Name: 'nofile', Soft: Math.min(4096, limits.openFiles), Hard: Math.min(wantedOpenFiles, limits.openFiles) },
    { Name: 'fsize', Soft: largestFileBytes, Hard: largestFileBytes },
    { Name: 'core', Soft: 0, Hard: 0 },
    // Counted by the kernel for root of the host too.
    { Name: 'sigpending', Soft: 256, Hard: 256 },
    { Name: 'msgqueue', Soft: 65_536, Hard: 65_536 },
  ],
  ...(limits.runtime === undefined ? {} : { Runtime: limits.runtime }),
})

export const endpoint = (address: string, alias: string) => ({ IPAMConfig: { IPv4Address: address }, Aliases: [alias] })

/** On the first of its networks; Docker takes no more at once. */
const attached = ({ sandbox }: ObjectLabels, [attachment]: readonly NetworkAttachment[], alias: string) =>
  attachment === undefined ? {} : { EndpointsConfig: { [networkName(sandbox, attachment.network)]: endpoint(attachment.address, alias) } }

const onNetwork = ({ sandbox }: ObjectLabels, [attachment]: readonly NetworkAttachment[]): HostConfig => ({
  NetworkMode: attachment === undefined ? 'none' : networkName(sandbox, attachment.network),
  Dns: [deadResolver],
  DnsOptions: ['timeout:1', 'attempts:2'], // a busy engine may miss one question
})

/** Without swap: what is beyond the memory is not there. */
export const sized = ({ memoryBytes, cpus, pids }: Partial<ServiceLimits>): HostConfig => ({
  ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
  ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
  ...(pids === undefined ? {} : { PidsLimit: pids }),
})

/** The limits as they stand; they may have been changed since the service was created. */
export const limitsOf = ({ Memory = 0, NanoCpus = 0, PidsLimit }: HostConfig): ServiceLimits => ({
  memoryBytes: Memory,
  cpus: NanoCpus / 1e9,
  pids: PidsLimit ?? 0,
})

const limitsLabel = ({ memoryBytes, cpus, pids }: ServiceLimits) => [memoryBytes, cpus, pids].join(' ')

/** The limits that a service was created with, by its labels; null where they do not tell. */
export const authoredLimits = (labels: Readonly<Record<string, string>>): ServiceLimits | null => {
  const [memoryBytes = Number.NaN, cpus = Number.NaN, pids = Number.NaN] = (labels[labelKeys.limits] ?? '').split(' ').map(Number)
  return memoryBytes > 0 && cpus > 0 && pids > 0 ? { memoryBytes, cpus, pids } : null
}

/** The share of one container in the processors, where all want them. A program of the host has 1024. */
export const weighed = (prioritized: boolean): HostConfig => ({ CpuShares: prioritized ? 1024 : 64 })

/**
 * Where memory or processors run short on the engine's host, sandboxes give way to it, services before our own programs. In
 * processor time these two are equal: the probe's own slowness is what slow services are measured against.
 */
const givingWay: HostConfig = { ...weighed(false), OomScoreAdj: 800 }
const goingFirst: HostConfig = { ...weighed(false), OomScoreAdj: 400 }

const volumeMounts = (sandbox: string, service: ServiceSpec, path: (index: number) => string) =>
  service.storage.map((_, index) => ({
    Type: 'volume' as const,
    Source: volumeName(sandbox, service.name, index),
    Target: path(index),
    ReadOnly: false,
  }))

export const serviceContainer = (
  labels: ObjectLabels,
  service: ServiceSpec,
  imageReference: string,
  attachments: readonly NetworkAttachment[],
  limits: EngineLimits,
): ContainerCreateOptions => ({
  name: containerName(labels.sandbox, service.name),
  Image: imageReference,
  Hostname: service.name,
  ...(service.command === undefined ? {} : { Cmd: [...service.command] }),
  Env: Object.entries(service.environment).map(([key, value]) => `${key}=${value}`),
  Labels: { ...labelsFor(labels, 'service', service.name), ...attachmentsLabel(attachments), [labelKeys.limits]: limitsLabel(service) },
  StopTimeout: 5,
  HostConfig: {
    ...hardened(limits),
    ...onNetwork(labels, attachments),
    ...sized(service),
    ...givingWay,
    CapAdd: [...defaultCapabilities, ...service.capabilities],
    Init: service.init,
    Sysctls: { ...service.sysctls },
    Mounts: volumeMounts(labels.sandbox, service, (index) => service.storage[index]?.path ?? ''),
  },
  NetworkingConfig: attached(labels, attachments, service.name),
})

/** The probe also keeps every sized storage mounted, so that a restart of its service does not empty it. */
export const probeContainer = (
  labels: ObjectLabels,
  services: readonly ServiceSpec[],
  imageReference: string,
  attachments: readonly NetworkAttachment[],
  limits: EngineLimits,
): ContainerCreateOptions => ({
  name: containerName(labels.sandbox, probeService),
  Image: imageReference,
  Hostname: probeService,
  Labels: { ...labelsFor(labels, 'probe'), ...attachmentsLabel(attachments) },
  StopTimeout: 1,
  HostConfig: {
    ...hardened(limits),
    ...onNetwork(labels, attachments),
    ...sized({ memoryBytes: 128 * 1024 ** 2, cpus: 2, pids: 256 }),
    ...goingFirst,
    Init: true,
    Mounts: services.flatMap((service) => volumeMounts(labels.sandbox, service, (index) => holdPath(service.name, index))),
  },
  NetworkingConfig: attached(labels, attachments, probeService),
})

/** Root itself: what looks at sandboxes, or acts on the engine's host, cannot be one of the mapped users. */
const asRootOutside: HostConfig = { UsernsMode: 'host' }

/** Where programs of ours look at services; see inspectors.ts. */
export const watchContainer = (installation: string, imageReference: string, limits: EngineLimits): ContainerCreateOptions => ({
  name: `inspector-${installation}`,
  Image: imageReference,
  Labels: { [labelKeys.installation]: installation, [labelKeys.role]: 'inspector' },
  StopTimeout: 1,
  HostConfig: {
    ...hardened(limits),
    ...sized({ memoryBytes: 1024 ** 3, cpus: 2, pids: 1024 }),
    ...goingFirst,
    ...weighed(true),
    ...asRootOutside,
    CapAdd: ['SYS_PTRACE', 'DAC_READ_SEARCH', 'SYS_CHROOT'],
    Init: true,
    NetworkMode: 'none',
    PidMode: 'host',
  },
})

export type EngineSidePowers = Pick<HostConfig, 'CapAdd' | 'NetworkMode' | 'PidMode'>

/** A process of ours beside the engine itself, for what cannot be done from inside a sandbox. */
export const engineSideContainer = (
  labels: ObjectLabels,
  imageReference: string,
  argv: readonly string[],
  powers: EngineSidePowers,
): ContainerCreateOptions => ({
  Image: imageReference,
  Cmd: [...argv],
  Labels: labelsFor(labels, 'helper'),
  HostConfig: {
    ...asRootOutside,
    NetworkMode: 'none',
    ...powers,
    ...sized({ memoryBytes: 128 * 1024 ** 2, cpus: 1, pids: 64 }),
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
  },
})

/**
 * Measures files by the engine's own folder, and deleted ones by the processes that hold them. Ends when its input does.
 * SYS_ADMIN leads from a mapping to its file; CHECKPOINT_RESTORE would do, but Docker 20.10 does not know it. Whoever may trace
 * every process on the engine's host, as this one must, gains nothing by it.
 */
export const meterContainer = (installation: string, imageReference: string, engineFolder: string): ContainerCreateOptions => ({
  Image: imageReference,
  Cmd: ['python3', '/opt/probe/measure_disk.py'],
  Labels: { [labelKeys.installation]: installation, [labelKeys.role]: meterRole },
  StopTimeout: 1,
  HostConfig: {
    ...sized({ memoryBytes: 256 * 1024 ** 2, cpus: 1, pids: 16 }),
    CapDrop: ['ALL'],
    ...asRootOutside,
    CapAdd: ['SYS_PTRACE', 'DAC_READ_SEARCH', 'SYS_ADMIN'],
    SecurityOpt: ['no-new-privileges:true'],
    NetworkMode: 'none',
    PidMode: 'host',
    AutoRemove: true,
    // Without what is mounted below it: those are the files of other containers, and no business of this one.
    Mounts: [{ Type: 'bind', Source: engineFolder, Target: engineFolder, ReadOnly: true, BindOptions: { NonRecursive: true } as never }],
  },
})
