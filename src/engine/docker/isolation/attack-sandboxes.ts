// The sandboxes of the isolation check, one to attack from and a neighbour, created by the same code as those of users; and helpers
// on the engine's host.

import { randomBytes } from 'node:crypto'
import type { Container } from 'dockerode'
import { addMinutes, type Clock } from '../../../clock.ts'
import type { Engine } from '../../engine.ts'
import type { Capability, ServiceSpec } from '../../topology.ts'
import { call, type Docker } from '../connection.ts'
import { containerName, type EngineSidePowers, engineSideContainer } from '../container-options.ts'
import { exitCodeOf } from '../docker-responses.ts'
import type { EngineFeatures } from '../engine-features.ts'
import type { ObjectLabels } from '../labels.ts'

export interface IsolationDeps {
  readonly docker: Docker
  readonly clock: Clock
  readonly engine: Engine
  readonly probeImage: string
  readonly installation: string
  readonly features: EngineFeatures
}

export const listen = ['python3', '/opt/probe/network_attacks.py', 'listen']

/** A service of the probe's image that only sleeps. */
export const bareService = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  image: 'probe',
  environment: {},
  files: [],
  storage: [],
  memoryBytes: 96 * 1024 ** 2,
  cpus: 1,
  pids: 64,
  capabilities: [],
  sysctls: {},
  init: true,
  ...extra,
})

/** The most that any service is given. */
const mostPowers: readonly Capability[] = ['NET_ADMIN', 'NET_RAW', 'SYS_PTRACE']

const couldNotRun = (argv: readonly string[], outcome: string, said: string) =>
  new Error(`the isolation check could not run: "${argv.slice(-3).join(' ')}" ${outcome}: ${said.trim().slice(-200)}`)

export const createStage = ({ docker, clock, engine, probeImage, installation, features }: IsolationDeps) => {
  const tag = randomBytes(5)
  const ids = { inside: `a${tag.toString('hex')}`, neighbour: `b${tag.toString('hex')}`, outside: `c${tag.toString('hex')}` }
  const labels: ObjectLabels = { installation, sandbox: ids.outside, deadline: addMinutes(clock.now(), 5) }

  const startHelper = async (argv: readonly string[], powers: EngineSidePowers): Promise<Container> => {
    const container = await call(() => docker.createContainer(engineSideContainer(labels, probeImage, argv, powers)))
    await call(() => container.start())
    return container
  }

  const logOf = async (container: Container): Promise<string> =>
    (await call(() => container.logs({ stdout: true, stderr: true }))).toString('latin1')

  return {
    tag,
    ids,
    startHelper,
    logOf,

    /** Runs a helper on the engine's host and returns what it prints. */
    runHelper: async (argv: readonly string[], powers: EngineSidePowers): Promise<string> => {
      const container = await startHelper(argv, powers)
      const exitCode = await exitCodeOf(container)
      const output = await logOf(container)
      if (exitCode !== 0) throw couldNotRun(argv, `ended with ${exitCode}`, output)
      return output
    },

    startNeighbour: async (): Promise<Container> => {
      const topology = { services: [bareService('target', { command: listen })], readyTimeoutSeconds: 120 }
      await engine.create({ id: ids.neighbour, deadline: labels.deadline, topology })
      return docker.getContainer(containerName(ids.neighbour, 'target'))
    },

    /** `plain` has the default capabilities, `strong` the most that a service can have, where the engine confines these. */
    startInside: (): Promise<void> => {
      const services = [
        bareService('plain'),
        ...(features.confinesCapabilities ? [bareService('strong', { capabilities: mostPowers })] : []),
      ]
      return engine.create({ id: ids.inside, deadline: labels.deadline, topology: { services, readyTimeoutSeconds: 120 } })
    },

    /** Runs a program of the probe's image in a service by the engine's exec. */
    runInside: async (sandbox: string, service: string, argv: readonly string[], stdin = ''): Promise<string> => {
      const result = await engine.execDirect({ sandbox, service }, { argv, stdin, timeoutMs: 120_000, outputBytes: 65_536 })
      if (result.exitCode !== 0)
        throw couldNotRun(
          argv,
          result.exitCode === null ? 'did not end in time' : `ended with ${result.exitCode}`,
          result.stderr.toString('latin1'),
        )
      return result.stdout.toString('latin1')
    },

    /** Runs a program that does not end by itself, until it is killed by its timeout. */
    runUntilTimeout: async (sandbox: string, service: string, argv: readonly string[]): Promise<void> => {
      await engine.execDirect({ sandbox, service }, { argv, timeoutMs: 300, outputBytes: 1024 })
    },

    clear: async () => {
      await Promise.all(Object.values(ids).map((id) => engine.destroy(id)))
    },
  }
}

export type Stage = ReturnType<typeof createStage>
