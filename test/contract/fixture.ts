// What the cases of the conformance suite share. Knows the port and no engine behind it.

import { afterAll, beforeAll, expect } from 'vitest'
import type { Command, CommandResult, Engine, ServiceSpec, Target } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'

export interface EngineUnderTest {
  readonly engine: Engine
  /** Removes everything that the engine still holds for this installation. */
  readonly cleanUp: () => Promise<void>
}

export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

/** A service that only waits; it has sh, bash, python3, curl, ip and ps. */
export const bareService = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  image: 'probe',
  environment: {},
  files: [],
  storage: [],
  memoryBytes: 64 * 1024 ** 2,
  cpus: 1,
  pids: 64,
  capabilities: [],
  sysctls: {},
  init: true,
  ...extra,
})

export const script = (text: string, extra: Partial<Command> = {}): Command => ({
  argv: ['sh', '-c', text],
  timeoutMs: 20_000,
  outputBytes: 1024 ** 2,
  ...extra,
})

export const python = (text: string, extra: Partial<Command> = {}): Command => script('', { argv: ['python3', '-c', text], ...extra })

/** The standard output of a command that must have succeeded. */
export const outputOf = (result: CommandResult): string => {
  expect(result, result.stderr.toString()).toMatchObject({ exitCode: 0, timedOut: false })
  return result.stdout.toString()
}

/** One sandbox for all cases of the surrounding describe. */
export const useSandbox = (engine: Engine, services: readonly ServiceSpec[]) => {
  const id = createId()
  const deadline = inMinutes(10)
  const at = (service: string): Target => ({ sandbox: id, service })
  const run = (service: string, text: string, extra: Partial<Command> = {}) => engine.exec(at(service), script(text, extra))
  beforeAll(() => engine.create({ id, deadline, topology: { services, readyTimeoutSeconds: 30 } }))
  afterAll(() => engine.destroy(id))
  return {
    id,
    deadline,
    at,
    run,
    /** Standard output of a script that must succeed. */
    read: async (service: string, text: string, extra: Partial<Command> = {}) => outputOf(await run(service, text, extra)),
    stateOf: async (service: string) => (await engine.describe(id))?.services.find(({ name }) => name === service),
    /** The command lines of a service's processes, as it sees them itself. */
    processesOf: async (service: string) => outputOf(await run(service, 'ps -eo args=')).split('\n'),
  }
}

export type Sandbox = ReturnType<typeof useSandbox>

/** For what is bound to happen, on however busy a machine. */
export const patience = { timeout: 30_000 }

/** An argument for sleep that no other case uses. */
let lastNap = 70_000
export const nap = () => {
  lastNap += 1
  return `sleep ${lastNap}`
}
