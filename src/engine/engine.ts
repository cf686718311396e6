// The port to whatever runs sandboxes. An engine belongs to one installation and sees nothing of another.
// It knows topologies, not scenarios; it keeps no state of its own beside what runs.
//
// Outcomes: an exit code and a timeout are results. Errors are LabErrors:
//   engine_unavailable     the engine does not answer
//   not_found              the sandbox, or the service in it, does not exist (any more)
//   container_not_running  the service exists, but its main command has ended
//   course_unavailable     the topology needs capabilities that this engine does not confine
//   sandbox_start_failed   a sandbox could not be created; nothing of it is left

import type { Duplex } from 'node:stream'
import { LabError } from '../errors.ts'

/** Capabilities that a service may have beyond the default set. Nothing else is ever granted. */
export const grantableCapabilities = ['NET_ADMIN', 'NET_RAW', 'SYS_PTRACE', 'SYS_NICE', 'IPC_LOCK', 'SYS_CHROOT'] as const
export type Capability = (typeof grantableCapabilities)[number]

/** Why a course that needs extra capabilities is not offered by an engine that does not confine them. */
export const unconfined = (): LabError =>
  new LabError('course_unavailable', "this course needs Linux capabilities that this server's container engine does not confine", {
    hint: 'the operator can use the engine that ./lab up starts, one with user namespaces, or a sandboxing LAB_RUNTIME',
  })

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
  /** Whether an init that reaps and forwards signals is process 1. */
  readonly init: boolean
  readonly ready?: Readiness
}

/** A network of a sandbox, and who is on it. */
export interface NetworkSpec {
  readonly name: string
  readonly services: readonly string[]
}

export interface Topology {
  readonly services: readonly ServiceSpec[]
  /** Left out: one with everybody. The probe is on all of them. */
  readonly networks?: readonly NetworkSpec[]
  readonly readyTimeoutSeconds: number
}

export interface SandboxRequest {
  readonly id: string
  readonly topology: Topology
  /** After this moment the sandbox is removed, whatever the store says. */
  readonly deadline: Date
  /** Every container runs now; not all are ready. */
  readonly onStarted?: () => void
}

export interface FileChange {
  readonly kind: 'added' | 'changed' | 'deleted'
  readonly path: string
}

export interface Target {
  readonly sandbox: string
  readonly service: string
}

export interface Command {
  readonly argv: readonly string[]
  readonly stdin?: string | Buffer
  readonly timeoutMs: number
  /** Kept per stream; what comes beyond is counted and dropped. */
  readonly outputBytes: number
  readonly workingDirectory?: string
}

export interface CommandResult {
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Null when the command was killed by its timeout. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  readonly durationMs: number
}

export interface TerminalOptions {
  readonly argv: readonly string[]
  readonly columns: number
  readonly rows: number
}

export interface Terminal {
  readonly stream: Duplex
  resize(columns: number, rows: number): Promise<void>
  /** Ends the shell and everything it runs in the foreground. */
  close(): Promise<void>
}

/** A program of ours that reads and writes until it is closed. Its standard error is dropped. */
export interface Channel {
  readonly stream: Duplex
  close(): Promise<void>
}

/** A container command in a service that sees its own sandbox only. */
export interface View {
  /** Resolves when it serves no longer, for whatever reason. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

export interface ViewOptions {
  /** Awaited before anything that changes a container or runs in one. */
  readonly beforeChange: () => Promise<void>
}

/** The limits are those that hold now, whatever the service was created with. */
export interface ServiceState extends ServiceLimits {
  readonly name: string
  readonly running: boolean
  readonly exitCode: number | null
  /** Whether the main command was killed for want of memory. */
  readonly oomKilled: boolean
  /** Null while it does not run. */
  readonly startedAt: Date | null
  /** On each of its networks; none while it does not run. */
  readonly addresses: readonly string[]
  /** Identifies what the service was created from; equal for equal images. */
  readonly imageId: string
}

export interface SandboxState {
  readonly id: string
  readonly deadline: Date
  readonly services: readonly ServiceState[]
}

/** What is left of a sandbox on the engine, complete or not. */
export interface SandboxSummary {
  readonly id: string
  readonly deadline: Date
  readonly createdAt: Date
  /** False when its network is gone, or when it went down as a whole: it can be repaired. */
  readonly intact: boolean
}

export interface IsolationFinding {
  readonly check: string
  readonly passed: boolean
  readonly detail: string
}

/** The disk that sandboxes write to. */
export interface DiskRoom {
  readonly freeBytes: number
  readonly freeFiles: number
  readonly totalBytes: number
}

export interface DiskUse {
  /** In blocks; deleted files that are still open, and every file as such, count too. */
  readonly bytes: number
  /** Keeps something where it cannot be measured. */
  readonly hides: boolean
}

export interface DiskMeasurement {
  readonly room: DiskRoom | null
  readonly uses: ReadonlyMap<string, DiskUse>
  /** Why only lengths of files could be had, without deleted ones, and nobody can be told to hide; null where all is exact. */
  readonly roughBecause: string | null
}

export interface DiskMeter {
  /** Costs next to nothing. Null while, or where, only a measurement can tell. */
  room(): Promise<DiskRoom | null>
  /** What every sandbox keeps on the disk. What keeps more than `enough` is not measured to its end. */
  measure(enough: number): Promise<DiskMeasurement>
  close(): Promise<void>
}

export type Progress = (message: string) => void

export interface Engine {
  /** Resolves when the engine answers. */
  ping(): Promise<void>
  /** Makes the engine fit to hold sandboxes: the probe's image, the walls around all of them. Idempotent. */
  prepare(progress: Progress): Promise<void>
  /** Makes sure that the named images exist; builds what is missing. */
  ensureImages(names: readonly string[], progress: Progress): Promise<void>
  /** Shows from inside that sandboxes of this engine reach nothing outside themselves. */
  checkIsolation(): Promise<readonly IsolationFinding[]>
  /** Whether capabilities in a sandbox mean nothing outside it. Where they do, sandboxes that need extra ones are not created. */
  confinesCapabilities(): Promise<boolean>

  /** Creates and starts a sandbox and waits for its readiness, or leaves nothing behind. */
  create(request: SandboxRequest): Promise<void>
  /** Removes whatever exists of a sandbox. Idempotent. */
  destroy(sandbox: string): Promise<void>
  /** Holds every process of a sandbox's services where it is, at once: for a sandbox that is about to be destroyed. */
  freeze(sandbox: string): Promise<void>
  /**
   * Runs a command in a service, as root, in the quickest way. On timeout its whole process group is killed. A program inside
   * the service may take part, so that whoever is root there can forge the result: for users, never for grading.
   */
  exec(target: Target, command: Command): Promise<CommandResult>
  /** The same, started and reported by the engine alone: no process of the service takes part but the command's own. */
  execDirect(target: Target, command: Command): Promise<CommandResult>
  /** Runs a command in the sandbox's probe: on its network, out of its users' reach. */
  probe(sandbox: string, command: Command): Promise<CommandResult>
  /** Like `probe`, for a program that goes on reading. */
  openProbe(sandbox: string, argv: readonly string[]): Promise<Channel>
  /**
   * Runs a program of the probe's image that goes on reading, out of sight of the sandbox's processes. Its last arguments are
   * the pid of the service's main process and the id of its container: below /proc it sees that process, those that share
   * its namespaces, and its files. The pid may be reused by the time it is used; the id tells.
   */
  openInspector(target: Target, argv: readonly string[]): Promise<Channel>
  /** Ends all processes of a service and runs its main command again; files and storage stay. */
  restart(target: Target): Promise<void>
  /** Sets limits of a service from now on; those that are not named stay. */
  limit(target: Target, limits: Partial<ServiceLimits>): Promise<void>
  /**
   * Puts a sandbox, with its probe, before all others where processors are scarce, or back among them. It stays so until
   * somebody says otherwise.
   */
  prioritize(sandbox: string, prioritized: boolean): Promise<void>
  /**
   * Gives a service a container command that sees and touches the services of its own sandbox and nothing else, by way of
   * /var/run/docker.sock in it. Whoever is root there can break it: it is for users, and ends then. Throws
   * command_not_started where something in the service keeps it from serving.
   */
  openView(target: Target, options: ViewOptions): Promise<View>
  /**
   * Puts a sandbox together again that is not whole: its network, and its containers if they went down with the engine. What
   * a service's main command did by itself stays done. Returns whether containers were started again.
   */
  repair(sandbox: string): Promise<boolean>
  terminal(target: Target, options: TerminalOptions): Promise<Terminal>
  /**
   * What a service's file system has come to differ in from its image, storage aside; a folder comes before what is in it.
   * Null when that is more than can be looked at.
   */
  changes(target: Target): Promise<readonly FileChange[] | null>
  /** The state of a sandbox, or null when nothing of it exists. */
  describe(sandbox: string): Promise<SandboxState | null>
  /** Everything of this installation on the engine. */
  list(): Promise<readonly SandboxSummary[]>
  /** Measures until it is closed; what it needs for that is made by the first measurement. */
  openDiskMeter(): DiskMeter
}
