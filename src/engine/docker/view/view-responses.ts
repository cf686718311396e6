// Builds the responses of a container view from named fields only, so that nothing of the host, of the installation or of another
// sandbox can leak into them.

import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { type EngineEvent, stopSignalOf } from '../docker-responses.ts'
import type { VisibleContainer } from './visible-containers.ts'

export const apiVersion = '1.41'
const engineVersion = '20.10'
const network = 'sandbox'
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const architecture = architectures[process.arch] ?? process.arch

/** Users see lab/nginx:0123456789ab as nginx. */
export const imageNameOf = (reference: string): string => /^lab\/([a-z0-9-]+)(?::[a-z0-9]+)?$/.exec(reference)?.[1] ?? 'image'

export const versionResponse = () => ({
  Version: engineVersion,
  ApiVersion: apiVersion,
  MinAPIVersion: '1.12',
  Os: 'linux',
  Arch: architecture,
  Components: [{ Name: 'Engine', Version: engineVersion, Details: { ApiVersion: apiVersion, Os: 'linux', Arch: architecture } }],
})

export const infoResponse = (seen: readonly VisibleContainer[]) => {
  const count = (state: string) => seen.filter(({ info }) => info.State === state).length
  const running = count('running')
  const paused = count('paused')
  return {
    Name: network,
    Containers: seen.length,
    ContainersRunning: running,
    ContainersPaused: paused,
    ContainersStopped: seen.length - running - paused,
    Images: 0,
    ServerVersion: engineVersion,
    OSType: 'linux',
    Architecture: architecture,
    Warnings: [],
  }
}

const addressOf = (networks: Readonly<Record<string, { readonly IPAddress?: string; readonly MacAddress?: string }>>) => {
  const [found] = Object.values(networks)
  return { IPAddress: found?.IPAddress ?? '', MacAddress: found?.MacAddress ?? '' }
}

const portsOf = (info: ContainerInfo) => info.Ports.map(({ PrivatePort, Type }) => ({ PrivatePort, Type }))

export const containerListItem = ({ id, name, info }: VisibleContainer) => ({
  Id: id,
  Names: [`/${name}`],
  Image: imageNameOf(info.Image),
  ImageID: '',
  Command: info.Command,
  Created: info.Created,
  Ports: portsOf(info),
  Labels: {},
  State: info.State,
  Status: info.Status,
  HostConfig: { NetworkMode: network },
  NetworkSettings: { Networks: { [network]: addressOf(info.NetworkSettings.Networks) } },
  Mounts: [],
})

const stateOf = ({ State }: ContainerInspectInfo) => ({
  Status: State.Status,
  Running: State.Running,
  Paused: State.Paused,
  Restarting: State.Restarting,
  OOMKilled: State.OOMKilled,
  Dead: State.Dead,
  Pid: 0,
  ExitCode: State.ExitCode,
  Error: '',
  StartedAt: State.StartedAt,
  FinishedAt: State.FinishedAt,
})

const hostConfigOf = ({ HostConfig: config }: ContainerInspectInfo) => ({
  NetworkMode: network,
  RestartPolicy: { Name: config.RestartPolicy?.Name ?? 'no', MaximumRetryCount: 0 },
  LogConfig: { Type: config.LogConfig?.Type ?? 'json-file', Config: {} },
  CapAdd: config.CapAdd ?? null,
  CapDrop: config.CapDrop ?? null,
  Privileged: false,
  ReadonlyRootfs: config.ReadonlyRootfs ?? false,
  Init: config.Init ?? false,
  ShmSize: config.ShmSize ?? 0,
  Memory: config.Memory ?? 0,
  MemorySwap: config.MemorySwap ?? 0,
  NanoCpus: config.NanoCpus ?? 0,
  PidsLimit: config.PidsLimit ?? 0,
})

const configOf = ({ Config: config }: ContainerInspectInfo) => ({
  Hostname: config.Hostname,
  User: config.User,
  Tty: config.Tty,
  OpenStdin: config.OpenStdin,
  Env: config.Env ?? [],
  Cmd: config.Cmd ?? null,
  Entrypoint: config.Entrypoint ?? null,
  Image: imageNameOf(config.Image),
  WorkingDir: config.WorkingDir,
  ExposedPorts: config.ExposedPorts ?? {},
  Labels: {},
  StopSignal: stopSignalOf(config),
})

export const containerInspectResponse = ({ id, name }: VisibleContainer, container: ContainerInspectInfo) => ({
  Id: id,
  Name: `/${name}`,
  Created: container.Created,
  Path: container.Path,
  Args: container.Args,
  State: stateOf(container),
  Image: imageNameOf(container.Config.Image),
  RestartCount: container.RestartCount,
  Platform: 'linux',
  HostConfig: hostConfigOf(container),
  Mounts: container.Mounts.map(({ Destination, RW }) => ({ Type: 'tmpfs', Destination, RW })),
  Config: configOf(container),
  NetworkSettings: {
    ...{ Ports: {}, ...addressOf(container.NetworkSettings.Networks) },
    Networks: { [network]: addressOf(container.NetworkSettings.Networks) },
  },
})

/** Events of containers; exec events are left out. */
const toldActions = new Set(['start', 'stop', 'die', 'kill', 'restart', 'oom', 'update'])

/** An event about one of these containers; null for events that are not shown. */
export const eventOf = (event: EngineEvent, seen: readonly VisibleContainer[]) => {
  const about = seen.find(({ engineId }) => engineId === event.Actor?.ID)
  if (about === undefined || event.Type !== 'container' || !toldActions.has(event.Action ?? '')) return null
  const { exitCode, signal } = event.Actor?.Attributes ?? {}
  const particulars = { ...(exitCode === undefined ? {} : { exitCode }), ...(signal === undefined ? {} : { signal }) }
  return {
    ...{ status: event.Action, id: about.id, from: imageNameOf(about.info.Image), Type: 'container', Action: event.Action, scope: 'local' },
    Actor: { ID: about.id, Attributes: { name: about.name, image: imageNameOf(about.info.Image), ...particulars } },
    time: event.time,
    timeNano: event.timeNano,
  }
}
