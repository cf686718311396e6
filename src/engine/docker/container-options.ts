// The Docker options of a container of a sandbox: capabilities, limits, name resolution. Pure functions.

import type { ContainerCreateOptions, HostConfig } from 'dockerode'
import type { ServiceLimits, ServiceSpec } from '../topology.ts'
import type { EngineFeatures } from './engine-features.ts'
import { attachmentsLabel, labelKeys, labelsFor, meterRole, type NetworkAttachment, type ObjectLabels } from './labels.ts'
import { deadResolver, networkName } from './network.ts'
import { seccompProfile } from './seccomp.ts'

const defaultCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE']
const wantedOpenFiles = 8192
const largestFileBytes = 1024 ** 3
const shmBytes = 16 * 1024 ** 2

/** Features and upper limits of the engine, determined once. */
export interface EngineLimits extends EngineFeatures {
  readonly openFiles: number
  readonly runtime: string | undefined
}

export const containerName = (sandbox: string, service: string) => `${service}-${sandbox}`
/** The host name of the probe, which sandboxes see in reverse lookups: its requests are those of customers. */
export const probeService = 'clients'
export const volumeName = (sandbox: string, service: string, index: number) => `${service}-${sandbox}-${index}`
const holdPath = (service: string, index: number) => `/hold/${service}/${index}`

const hardened = (limits: EngineLimits): HostConfig => ({
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges=true', `seccomp=${seccompProfile(limits)}`],
  Privileged: false,
  IpcMode: 'private',
  ShmSize: shmBytes,
  RestartPolicy: { Name: 'no' },
  LogConfig: { Type: 'json-file', Config: { 'max-size': '4m', 'max-file': '2' } },
  Ulimits: [
    { Name: 'nofile', Soft: Math.min(4096, limits.openFiles), Hard: Math.min(wantedOpenFiles, limits.openFiles) },
    { Name: 'fsize', Soft: largestFileBytes, Hard: largestFileBytes },
    { Name: 'core', Soft: 0, Hard: 0 },
    // The kernel counts pending signals per user, together with those of root on the host.
    { Name: 'sigpending', Soft: 256, Hard: 256 },
    { Name: 'msgqueue', Soft: 65_536, Hard: 65_536 },
  ],
  ...(limits.runtime === undefined ? {} : { Runtime: limits.runtime }),
})

export const endpoint = (address: string, alias: string) => ({ IPAMConfig: { IPv4Address: address }, Aliases: [alias] })

/** Creates a container on its first network; Docker 20.10 accepts only one at creation. */
const attached = ({ sandbox }: ObjectLabels, [attachment]: readonly NetworkAttachment[], alias: string) =>
  attachment === undefined ? {} : { EndpointsConfig: { [networkName(sandbox, attachment.network)]: endpoint(attachment.address, alias) } }

const onNetwork = ({ sandbox }: ObjectLabels, [attachment]: readonly NetworkAttachment[]): HostConfig => ({
  NetworkMode: attachment === undefined ? 'none' : networkName(sandbox, attachment.network),
  Dns: [deadResolver],
  DnsOptions: ['timeout:1', 'attempts:2'], // a busy engine may drop a query
})

/** Without swap. */
export const limitOptions = ({ memoryBytes, cpus, pids }: Partial<ServiceLimits>): HostConfig => ({
  ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
  ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
  ...(pids === undefined ? {} : { PidsLimit: pids }),
})

/** The current limits, which may have been changed since the service was created. */
export const limitsOf = ({ Memory = 0, NanoCpus = 0, PidsLimit }: HostConfig): ServiceLimits => ({
  memoryBytes: Memory,
  cpus: NanoCpus / 1e9,
  pids: PidsLimit ?? 0,
})

const limitsLabel = ({ memoryBytes, cpus, pids }: ServiceLimits) => [memoryBytes, cpus, pids].join(' ')

/** The limits that a service was created with, from its labels; null where these are missing. */
export const authoredLimits = (labels: Readonly<Record<string, string>>): ServiceLimits | null => {
  const [memoryBytes = Number.NaN, cpus = Number.NaN, pids = Number.NaN] = (labels[labelKeys.limits] ?? '').split(' ').map(Number)
  return memoryBytes > 0 && cpus > 0 && pids > 0 ? { memoryBytes, cpus, pids } : null
}

/** CPU shares of one container under contention. A program of the host has 1024. */
export const cpuShares = (prioritized: boolean): HostConfig => ({ CpuShares: prioritized ? 1024 : 64 })

/**
 * When memory or CPU runs short on the engine's host, sandboxes yield to the host, and services are killed before our own
 * programs. The probe has the same CPU shares as services, because its own slowness is what slow services are compared with.
 */
const yieldsToHost: HostConfig = { ...cpuShares(false), OomScoreAdj: 800 }
const goingFirst: HostConfig = { ...cpuShares(false), OomScoreAdj: 400 }

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
    ...limitOptions(service),
    ...yieldsToHost,
    CapAdd: [...defaultCapabilities, ...service.capabilities],
    Init: service.init,
    Sysctls: { ...service.sysctls },
    Mounts: volumeMounts(labels.sandbox, service, (index) => service.storage[index]?.path ?? ''),
  },
  NetworkingConfig: attached(labels, attachments, service.name),
})

/** The probe also mounts every sized storage (a tmpfs volume), so that it is not emptied when its service restarts. */
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
    ...limitOptions({ memoryBytes: 128 * 1024 ** 2, cpus: 2, pids: 256 }),
    ...goingFirst,
    Init: true,
    Mounts: services.flatMap((service) => volumeMounts(labels.sandbox, service, (index) => holdPath(service.name, index))),
  },
  NetworkingConfig: attached(labels, attachments, probeService),
})

/** Outside the user namespace: what inspects sandboxes, or acts on the engine's host, needs to be root there. */
const asRootOutside: HostConfig = { UsernsMode: 'host' }

/** Not recursive: what is mounted below are the merged file systems of other containers. */
const readOnly = (folder: string) =>
  ({ Type: 'bind', Source: folder, Target: folder, ReadOnly: true, BindOptions: { NonRecursive: true } as never }) as const

/** The container in which inspectors run; see inspectors.ts. */
export const inspectorContainer = (
  installation: string,
  imageReference: string,
  engineFolder: string,
  limits: EngineLimits,
): ContainerCreateOptions => ({
  name: `inspector-${installation}`,
  Image: imageReference,
  Labels: { [labelKeys.installation]: installation, [labelKeys.role]: 'inspector' },
  StopTimeout: 1,
  HostConfig: {
    ...hardened(limits),
    ...limitOptions({ memoryBytes: 1024 ** 3, cpus: 2, pids: 1024 }),
    ...goingFirst,
    ...cpuShares(true),
    ...asRootOutside,
    // SYS_ADMIN: to read the attribute by which overlayfs marks a folder as opaque.
    CapAdd: ['SYS_PTRACE', 'DAC_READ_SEARCH', 'SYS_CHROOT', 'SYS_ADMIN'],
    Init: true,
    NetworkMode: 'none',
    PidMode: 'host',
    Mounts: [readOnly(engineFolder)],
  },
})

export type EngineSidePowers = Pick<HostConfig, 'CapAdd' | 'NetworkMode' | 'PidMode'>

/** A short-lived helper on the engine's host, for what cannot be done from inside a sandbox. */
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
    ...limitOptions({ memoryBytes: 128 * 1024 ** 2, cpus: 1, pids: 64 }),
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges=true'],
  },
})

/**
 * Measures files in the engine's data folder, and deleted files through the processes that hold them. Ends when its input does.
 * SYS_ADMIN is needed to open a mapped file through map_files; CHECKPOINT_RESTORE would suffice, but Docker 20.10 does not know
 * it. It adds no risk to a program that may trace every process on the engine's host anyway.
 */
export const meterContainer = (installation: string, imageReference: string, engineFolder: string): ContainerCreateOptions => ({
  Image: imageReference,
  Cmd: ['python3', '/opt/probe/measure_disk.py'],
  Labels: { [labelKeys.installation]: installation, [labelKeys.role]: meterRole },
  StopTimeout: 1,
  HostConfig: {
    ...limitOptions({ memoryBytes: 256 * 1024 ** 2, cpus: 1, pids: 256 }),
    CapDrop: ['ALL'],
    ...asRootOutside,
    CapAdd: ['SYS_PTRACE', 'DAC_READ_SEARCH', 'SYS_ADMIN'],
    SecurityOpt: ['no-new-privileges=true'],
    NetworkMode: 'none',
    PidMode: 'host',
    AutoRemove: true,
    Mounts: [readOnly(engineFolder)],
  },
})
