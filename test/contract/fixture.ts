// Helpers of the engine conformance suite. Knows the port, and no implementation.

import { afterAll, beforeAll, expect } from 'vitest'
import { bareService as stageService } from '../../src/engine/docker/isolation/attack-sandboxes.ts'
import type { Channel, Command, CommandResult, Engine, Target } from '../../src/engine/engine.ts'
import type { ServiceSpec } from '../../src/engine/topology.ts'
import { createId } from '../../src/ids.ts'

export interface EngineUnderTest {
  readonly engine: Engine
  /** Removes everything that the engine still holds for this installation. */
  readonly cleanUp: () => Promise<void>
}

export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

/** A service that only sleeps; it has sh, bash, python3, curl, ip and ps. */
export const bareService = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec =>
  stageService(name, { memoryBytes: 64 * 1024 ** 2, ...extra })

export const script = (text: string, extra: Partial<Command> = {}): Command => ({
  argv: ['sh', '-c', text],
  timeoutMs: 60_000,
  outputBytes: 1024 ** 2,
  ...extra,
})

export const python = (text: string, extra: Partial<Command> = {}): Command => script('', { argv: ['python3', '-c', text], ...extra })

/** Prints the CPU shares of a container, under cgroup v1 or v2. */
export const readShare = 'cat /sys/fs/cgroup/cpu/cpu.shares /sys/fs/cgroup/cpu.weight 2> /dev/null | head -n 1'

/** The standard output of a command that must have succeeded. */
export const outputOf = (result: CommandResult): string => {
  expect(result, result.stderr.toString()).toMatchObject({ exitCode: 0, timedOut: false })
  return result.stdout.toString()
}

/** Prints the command lines of the processes in the pid namespace of the given process. */
const processList = `
import os, sys
namespace = lambda pid: os.readlink(f'/proc/{pid}/ns/pid')
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        if namespace(pid) == namespace(sys.argv[1]):
            print(open(f'/proc/{pid}/cmdline').read().strip('\\0').replace('\\0', ' '))
    except OSError:
        pass`

const outputUntilEnd = async (channel: Channel): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of channel.stream) chunks.push(chunk as Buffer)
  await channel.close()
  return Buffer.concat(chunks).toString()
}

/** The output of a program that runs as an inspector. */
export const inspect = async (engine: Engine, target: Target, argv: readonly string[]): Promise<string> =>
  outputUntilEnd(await engine.openInspector(target, argv))

/** What a script prints in the probe of a sandbox, and whether it succeeds. */
export const tryInProbe = async (engine: Engine, sandbox: string, text: string): Promise<{ stdout: string; succeeded: boolean }> => {
  const argv = ['sh', '-c', '(eval "$0") < /dev/null; printf "ended with %s" $?', text]
  const output = await outputUntilEnd(await engine.openProbe(sandbox, argv))
  const [, stdout, status] = /^(.*)ended with (\d+)$/s.exec(output) ?? []
  if (stdout === undefined) throw new Error(`the script did not end: ${output}`)
  return { stdout, succeeded: status === '0' }
}

/** Standard output of a script in the probe that must succeed. */
export const inProbe = async (engine: Engine, sandbox: string, text: string): Promise<string> => {
  const { stdout, succeeded } = await tryInProbe(engine, sandbox, text)
  expect(succeeded, text).toBe(true)
  return stdout
}

/** The command lines of a service's processes, as an inspector sees them. */
export const inspectProcesses = async (engine: Engine, target: Target): Promise<string[]> =>
  (await inspect(engine, target, ['python3', '-c', processList])).split('\n')

/** Both ways to run a command in a service, each as an engine with that `exec`. */
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

/** An argument for sleep that no other case uses. */
let lastNap = 70_000
export const nap = () => {
  lastNap += 1
  return `sleep ${lastNap}`
}
