// What the cases of the conformance suite share. Knows the port and no engine behind it.

import { afterAll, beforeAll, expect } from 'vitest'
import { bareService as stageService } from '../../src/engine/docker/isolation/attack-sandboxes.ts'
import type { Command, CommandResult, Engine, ServiceSpec, Target } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'

export interface EngineUnderTest {
  readonly engine: Engine
  /** Removes everything that the engine still holds for this installation. */
  readonly cleanUp: () => Promise<void>
}

export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

/** A service that only waits; it has sh, bash, python3, curl, ip and ps. */
export const bareService = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec =>
  stageService(name, { memoryBytes: 64 * 1024 ** 2, ...extra })

export const script = (text: string, extra: Partial<Command> = {}): Command => ({
  argv: ['sh', '-c', text],
  timeoutMs: 20_000,
  outputBytes: 1024 ** 2,
  ...extra,
})

export const python = (text: string, extra: Partial<Command> = {}): Command => script('', { argv: ['python3', '-c', text], ...extra })

/** The share of the processors that the kernel gives a container where all want them, under the first or the second kind of cgroups. */
export const readShare = script('cat /sys/fs/cgroup/cpu/cpu.shares /sys/fs/cgroup/cpu.weight 2> /dev/null | head -n 1')

/** The standard output of a command that must have succeeded. */
export const outputOf = (result: CommandResult): string => {
  expect(result, result.stderr.toString()).toMatchObject({ exitCode: 0, timedOut: false })
  return result.stdout.toString()
}

/** The processes that share the namespace of the one named last, and their command lines. */
const processList = `
import os, sys
namespace = lambda pid: os.readlink(f'/proc/{pid}/ns/pid')
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        if namespace(pid) == namespace(sys.argv[1]):
            print(open(f'/proc/{pid}/cmdline').read().strip('\\0').replace('\\0', ' '))
    except OSError:
        pass`

/** What a program of an inspector prints until it ends. */
export const inspect = async (engine: Engine, target: Target, argv: readonly string[]): Promise<string> => {
  const channel = await engine.openInspector(target, argv)
  const chunks: Buffer[] = []
  for await (const chunk of channel.stream) chunks.push(chunk as Buffer)
  await channel.close()
  return Buffer.concat(chunks).toString()
}

/** The command lines of a service's processes, as an inspector sees them. */
export const inspectProcesses = async (engine: Engine, target: Target): Promise<string[]> =>
  (await inspect(engine, target, ['python3', '-c', processList])).split('\n')

/** Both ways to run a command in a service, each as an engine whose `exec` is that way. */
export const execWays = (engine: Engine): [string, Engine][] => [
  ['exec', engine],
  ['execDirect', { ...engine, exec: engine.execDirect }],
]

/** One sandbox for all cases of the surrounding describe. */
export const useSandbox = (engine: Engine, services: readonly ServiceSpec[]) => {
  const [id, deadline] = [createId(), inMinutes(10)]
  beforeAll(() => engine.create({ id, deadline, topology: { services, readyTimeoutSeconds: 30 } }))
  afterAll(() => engine.destroy(id))
  return viewSandbox(engine, id, deadline)
}

/** A sandbox as seen through an engine. */
export const viewSandbox = (engine: Engine, id: string, deadline: Date) => {
  const at = (service: string): Target => ({ sandbox: id, service })
  const run = (service: string, text: string, extra: Partial<Command> = {}) => engine.exec(at(service), script(text, extra))
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
