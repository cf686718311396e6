// What a sandbox is built of: the part of the engine port that says what is asked for. It knows no engine.

/** Capabilities that a service may have beyond the default set. Nothing else is ever granted. */
export const grantableCapabilities = ['NET_ADMIN', 'NET_RAW', 'SYS_PTRACE', 'SYS_NICE', 'IPC_LOCK', 'SYS_CHROOT'] as const
export type Capability = (typeof grantableCapabilities)[number]

export interface FileSpec {
  readonly path: string
  readonly content: Buffer
  readonly executable: boolean
}

/** A sized file system that outlives a restart of the service. */
export interface StorageSpec {
  readonly path: string
  readonly bytes: number
  readonly inodes?: number
}

export type Readiness =
  | { readonly http: { readonly url: string; readonly status: number } }
  | { readonly tcp: { readonly host: string; readonly port: number } }

export interface ServiceLimits {
  readonly memoryBytes: number
  readonly cpus: number
  readonly pids: number
}

export interface ServiceSpec extends ServiceLimits {
  readonly name: string
  /** The name of a folder below images/. */
  readonly image: string
  readonly command?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly files: readonly FileSpec[]
  readonly storage: readonly StorageSpec[]
  readonly capabilities: readonly Capability[]
  readonly sysctls: Readonly<Record<string, string>>
  /** Whether pid 1 is an init process that reaps children and forwards signals. */
  readonly init: boolean
  readonly ready?: Readiness
}

/** A network of a sandbox, and the services on it. */
export interface NetworkSpec {
  readonly name: string
  readonly services: readonly string[]
}

export interface Topology {
  readonly services: readonly ServiceSpec[]
  /** By default one network with all services. The probe is on all of them. */
  readonly networks?: readonly NetworkSpec[]
  readonly readyTimeoutSeconds: number
}
