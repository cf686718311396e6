// The engine port: the interface to whatever runs sandboxes. An engine belongs to one installation and sees nothing of another.
// It knows topologies, not scenarios, and keeps no state of its own.
//
// Outcomes: an exit code and a timeout are results. Errors are LabErrors:
//   engine_unavailable     the engine does not answer
//   not_found              the sandbox, or the service in it, does not exist (any more)
//   container_not_running  the service exists, but its main command has ended
//   course_unavailable     the topology needs capabilities that this engine does not confine
//   sandbox_start_failed   a sandbox could not be created; nothing of it is left

import type { Duplex } from 'node:stream'
import { LabError } from '../errors.ts'
import type { ServiceLimits, Topology } from './topology.ts'

/** The error for a course that needs extra capabilities on an engine that does not confine them. */
export const unconfined = (): LabError =>
  new LabError('course_unavailable', "this course needs Linux capabilities that this server's container engine does not confine", {
    hint: 'choose a course with requires_account: false',
  })

export interface SandboxRequest {
  readonly id: string
  readonly topology: Topology
  /** After this time the sandbox is removed, whatever the store says. */
  readonly deadline: Date
  /** Called when every container runs; not all may be ready. */
  readonly onStarted?: () => void
}

export interface FileChange {
  readonly kind: 'added' | 'changed' | 'deleted'
  readonly path: string
  /** Everybody may write to it now, or remove there what is others'; undefined where the engine cannot tell. */
  readonly opened?: true | undefined
  /** Mode and owner of a folder of the image that are not the image's. */
  readonly rights?: string | undefined
}

export interface Target {
  readonly sandbox: string
  readonly service: string
}

export interface Command {
  readonly argv: readonly string[]
  readonly stdin?: string | Buffer
  readonly timeoutMs: number
  /** The cap per stream; what exceeds it is counted and dropped. */
  readonly outputBytes: number
  /** How much of the cap is for the end of an output that exceeds it: up to 64 KiB, nothing by default. The rest is its beginning. */
  readonly tailBytes?: number
  readonly workingDirectory?: string
  /** Ends the command as its timeout would. */
  readonly signal?: AbortSignal
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

/** The standard input and output of a helper program, open until it is closed. Its standard error is dropped. */
export interface Channel {
  readonly stream: Duplex
  close(): Promise<void>
}

/** A docker command in a service that sees its own sandbox only. */
export interface View {
  /** Resolves when it has ended, for whatever reason. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

export interface ViewOptions {
  /** Awaited before a container is changed or a command is run in one. */
  readonly beforeChange: () => Promise<void>
}

/** The limits are the current ones, not those that the service was created with. */
export interface ServiceState extends ServiceLimits {
  readonly name: string
  readonly running: boolean
  readonly exitCode: number | null
  /** Whether the main command was killed because the container ran out of memory. */
  readonly oomKilled: boolean
  /** Null while it does not run. */
  readonly startedAt: Date | null
  /** On each of its networks; none while it does not run. */
  readonly addresses: readonly string[]
  /** Identifies the image that the service was created from. */
  readonly imageId: string
}

export interface SandboxState {
  readonly id: string
  readonly deadline: Date
  readonly services: readonly ServiceState[]
}

/** A sandbox as it exists on the engine, complete or not. */
export interface SandboxSummary {
  readonly id: string
  readonly deadline: Date
  readonly createdAt: Date
  /** False when a container is off one of its networks, or the probe does not run: it can be repaired. */
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
  /** In blocks, including deleted files that are still open, plus a fixed amount per file. */
  readonly bytes: number
  /** Whether a part of it cannot be measured. */
  readonly hides: boolean
}

export interface DiskMeasurement {
  readonly room: DiskRoom | null
  readonly uses: ReadonlyMap<string, DiskUse>
  /** Why this is an estimate from file lengths, without deleted files and `hides`; null where it is exact. */
  readonly roughBecause: string | null
}

export interface DiskMeter {
  /** Cheap. Null where only a measurement can tell. */
  room(): Promise<DiskRoom | null>
  /** The disk use of every sandbox. Measuring a sandbox stops at `enough` bytes; the first time that one has so many, the others are measured only in part. */
  measure(enough: number): Promise<DiskMeasurement>
  close(): Promise<void>
}

export type Progress = (message: string) => void

export interface Engine {
  /** Resolves when the engine answers. */
  ping(): Promise<void>
  /** Prepares the engine for sandboxes: the probe's image and the firewall rules. Idempotent. */
  prepare(progress: Progress): Promise<void>
  /** Builds those of the named images that are missing. */
  ensureImages(names: readonly string[], progress: Progress): Promise<void>
  /** Attacks from inside a sandbox, to verify that sandboxes of this engine are isolated. */
  checkIsolation(interrupted?: AbortSignal): Promise<readonly IsolationFinding[]>
  /** Whether capabilities in a sandbox have no effect outside it. If not, sandboxes that need extra ones are not created. */
  confinesCapabilities(): Promise<boolean>

  /** Creates and starts a sandbox and waits until it is ready. On failure nothing of it is left. */
  create(request: SandboxRequest): Promise<void>
  /** Removes whatever exists of a sandbox. Idempotent. */
  destroy(sandbox: string): Promise<void>
  /** Pauses all services of a sandbox that is about to be destroyed. */
  freeze(sandbox: string): Promise<void>
  /**
   * Runs a command in a service, as root, in the fastest way. On timeout its whole process group is killed. A helper program inside
   * the service may be involved, which root in the service can tamper with: for users, never for grading.
   */
  exec(target: Target, command: Command): Promise<CommandResult>
  /** The same by the engine's own exec: no process of the service is involved but the command itself. */
  execDirect(target: Target, command: Command): Promise<CommandResult>
  /** Runs a program that keeps reading its input in the sandbox's probe: on its networks, and out of its users' reach. */
  openProbe(sandbox: string, argv: readonly string[]): Promise<Channel>
  /**
   * Runs a program of the probe's image that keeps reading its input, invisible to the sandbox's processes: inspect_service.py
   * unless another is named. Its last arguments are the pid of the service's main process and the id of its container: below /proc
   * it sees that process, those that share its namespaces, and its files. The pid may be reused by the time it is used; the id
   * tells.
   */
  openInspector(target: Target, argv?: readonly string[]): Promise<Channel>
  /** Ends all processes of a service and runs its main command again; files and storage stay. */
  restart(target: Target): Promise<void>
  /**
   * Ends all processes of a service at once, as a power failure would: nothing in it is asked or can delay it. It stays stopped until it
   * is restarted. One that does not run stays so.
   */
  kill(target: Target): Promise<void>
  /** Changes limits of a service; those that are not given stay. */
  limit(target: Target, limits: Partial<ServiceLimits>): Promise<void>
  /**
   * Gives a sandbox and its probe more CPU shares than the others, or the usual ones again. It stays so until the next call.
   */
  prioritize(sandbox: string, prioritized: boolean): Promise<void>
  /**
   * Serves Docker's API on /var/run/docker.sock of a service, limited to the services of its own sandbox. Root in the service can
   * break it, and it ends then. Throws command_not_started where something in the service keeps it from running.
   */
  openView(target: Target, options: ViewOptions): Promise<View>
  /**
   * Repairs a sandbox that is not intact: creates missing networks again, and starts its containers if its probe does not run.
   * Returns whether containers were started again.
   */
  repair(sandbox: string): Promise<boolean>
  terminal(target: Target, options: TerminalOptions): Promise<Terminal>
  /**
   * What a service's file system has come to differ in from its image, storage aside. A folder is changed where its own mode or
   * owner is. Null when that is more than can be looked at.
   */
  changes(target: Target): Promise<readonly FileChange[] | null>
  /** The folders in which the programs of a service are looked up: its PATH. */
  searchPath(target: Target): Promise<readonly string[]>
  /** Identifies the programs that observe sandboxes (probe and inspectors): the next one answers in the same terms if it is the same. */
  observers(): Promise<string>
  /** Asks nothing of the program that reads changes: tells how long it takes to be answered at the moment. */
  inspectNothing(): Promise<void>
  /** The state of a sandbox, or null when nothing of it exists. */
  describe(sandbox: string): Promise<SandboxState | null>
  /**
   * For the event stream of a sandbox: calls back soon after a service of it has started or stopped; it may call without a reason, and
   * while the engine is away it misses some. Returns a function that ends it.
   */
  onServiceChange(sandbox: string, changed: () => void): () => void
  /** Everything of this installation on the engine. */
  list(): Promise<readonly SandboxSummary[]>
  /** The meter container is created by the first measurement, and removed when the meter is closed. */
  openDiskMeter(): DiskMeter
}
