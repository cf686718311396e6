// Connects to the Docker API and translates its errors into those of the engine port. Knows nothing of sandboxes.

import { existsSync } from 'node:fs'
import Docker, { type Container } from 'dockerode'
import { LabError, messageOf } from '../../errors.ts'
import { socketIn } from './daemon/paths.ts'

export type { Docker }

/** Where an engine is looked for: at an address, else our own in this folder, else whatever engine the machine has. */
export interface EngineAddress {
  readonly dockerHost?: string | undefined
  readonly engineDir?: string | undefined
}

/** The sockets that are tried when nothing is named, in order. */
const sockets = () => [
  '/var/run/docker.sock',
  '/run/podman/podman.sock',
  ...(process.getuid ? [`/run/user/${process.getuid()}/docker.sock`, `/run/user/${process.getuid()}/podman/podman.sock`] : []),
]

/** As DOCKER_HOST would name it. */
export const dockerHostOf = ({ dockerHost, engineDir }: EngineAddress): string =>
  dockerHost ?? `unix://${engineDir === undefined ? (sockets().find(existsSync) ?? '/var/run/docker.sock') : socketIn(engineDir)}`

export const connectDocker = (address: EngineAddress): Docker => {
  const dockerHost = dockerHostOf(address)
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) })
  const url = new URL(dockerHost.replace(/^tcp:/, 'http:'))
  return new Docker({ protocol: url.protocol === 'https:' ? 'https' : 'http', host: url.hostname, port: url.port || 2375 })
}

const patienceMs = 5_000

/** An engine that does not answer in time counts as unavailable. */
export const pingInTime = (docker: Docker): Promise<unknown> => {
  const ping = docker.ping.bind(docker) as (options: { abortSignal: AbortSignal }) => Promise<unknown> // its types lack the options
  return ping({ abortSignal: AbortSignal.timeout(patienceMs) })
}

export const answers = async (docker: Docker): Promise<boolean> =>
  pingInTime(docker).then(
    () => true,
    () => false,
  )

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
  'EACCES',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ABORT_ERR',
])

export const statusCodeOf = (error: unknown): number | undefined => {
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  return typeof status === 'number' ? status : undefined
}

export const containerNotRunning = (cause: unknown): LabError =>
  new LabError('container_not_running', 'the container is not running', {
    hint: 'its main command has ended: restart the container, or look at it from another one',
    cause,
  })

/** Translates an error of the Docker API into an error of the engine port. */
export const translate = (error: unknown): Error => {
  if (error instanceof LabError) return error
  const code = (error as { code?: unknown } | null)?.code
  const message = messageOf(error)
  if ((typeof code === 'string' && unreachable.has(code)) || message === 'socket hang up') {
    return new LabError('engine_unavailable', 'the container engine does not answer', {
      hint: 'try again shortly',
      retryAfterSeconds: 5,
      cause: error,
    })
  }
  const status = statusCodeOf(error)
  if (status === 404) return new LabError('not_found', 'the sandbox does not exist any more', { cause: error })
  if ((status === 409 || status === 500) && /is not running|stopped container|cannot join PID|is paused|is restarting/i.test(message)) {
    return containerNotRunning(error)
  }
  return error instanceof Error ? error : new Error(message)
}

/** Runs a Docker call; its errors are translated. */
export const call = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}

const notModified = 304

/** A container that runs already is none the worse for it. */
export const startUnlessRunning = async (container: Container): Promise<void> => {
  try {
    await container.start()
  } catch (error) {
    if (statusCodeOf(error) !== notModified) throw error
  }
}

/** Runs a removal; an object that does not exist is no error. */
export const ignoreMissing = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    const status = statusCodeOf(error)
    const underWay = status === 409 && /already in progress/i.test(messageOf(error))
    if (status !== 404 && status !== notModified && !underWay) throw translate(error)
  }
}
