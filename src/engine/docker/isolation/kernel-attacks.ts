// Attacks of the isolation check other than network access: tracing processes that enter the container, opening files by handle,
// starting a command outside the container, exhausting shared kernel resources. See images/probe/kernel_attacks.py.

import { z } from 'zod'
import type { IsolationFinding } from '../../engine.ts'
import type { Docker } from '../connection.ts'
import { containerName } from '../container-options.ts'
import type { EngineFeatures } from '../engine-features.ts'
import { openExec } from '../exec.ts'
import type { Stage } from './attack-sandboxes.ts'
import { parseOutput, requireOutput } from './parse-output.ts'

const program = '/opt/probe/kernel_attacks.py'
const Ready = z.object({ ready: z.literal(true) })
const Traced = z.object({ attached: z.int(), foreign: z.int() })
const Opened = z.object({ opened: z.array(z.string()) })
const Directory = z.object({ outside: z.boolean() })
const Counts = z.object({ inotify: z.int(), terminals: z.int(), aio: z.int() })
const Held = z.object({ held: Counts })
const Taken = z.object({ taken: Counts })

const Forged = z.object({ forged: z.array(z.int()) })
const Alive = z.object({ alive: z.int(), late: z.boolean() })

/** Starts an attack in the background, and waits for its first line. */
const begin = (attack: string, ...args: readonly string[]) => [
  ...['sh', '-c', 'python3 "$0" "$@" > "/tmp/$1" 2>&1 & while [ ! -s "/tmp/$1" ] && kill -0 $!; do sleep 0.02; done; cat "/tmp/$1"'],
  ...[program, attack, ...args],
]
const endTrace = ['sh', '-c', 'touch /tmp/stop; while ! grep -q attached /tmp/trace; do sleep 0.02; done; cat /tmp/trace']

const entries = 4
/** Descriptors that a runtime may have open while it enters a container. */
const descriptors = [5, 6, 7, 8, 9, 10]

export const createKernelAttacks = (docker: Docker, features: EngineFeatures, { ids, runInside, runUntilTimeout, runHelper }: Stage) => {
  const strongest = features.confinesCapabilities ? 'strong' : 'plain'

  const trace = async (): Promise<IsolationFinding[]> => {
    requireOutput(await runInside(ids.inside, strongest, begin('trace')), Ready)
    await Promise.all(Array.from({ length: entries }, () => runInside(ids.inside, strongest, ['sleep', '0.2'])))
    const { attached, foreign } = requireOutput(await runInside(ids.inside, strongest, endTrace), Traced)
    return [
      { check: 'control: a command can be traced by its own container', passed: attached > 0, detail: `${attached} were attached to` },
      {
        check: 'processes that enter a container cannot be taken over by a tracer',
        passed: foreign === 0,
        detail: foreign === 0 ? 'nothing was gained' : `${foreign} with privileges that the container does not have`,
      },
    ]
  }

  const handles = async (): Promise<IsolationFinding> => {
    const { opened } = requireOutput(await runInside(ids.inside, strongest, ['python3', program, 'handles']), Opened)
    return { check: 'no file is opened by its handle', passed: opened.length === 0, detail: opened.join(', ') || 'all were refused' }
  }

  /** Lets the runtime itself change the directory, which the service never does with a path that a user named. */
  const directory = async (): Promise<IsolationFinding> => {
    const outside = await Promise.all(
      descriptors.map(async (descriptor) => {
        const options = { runtimeFolder: `/proc/self/fd/${descriptor}` }
        const channel = await openExec(docker, containerName(ids.inside, 'plain'), ['python3', program, 'directory'], options)
        let said = ''
        for await (const chunk of channel.stream) said += chunk
        await channel.close()
        return parseOutput(said, Directory)?.outside === true
      }),
    )
    const leaks = descriptors.filter((_, index) => outside[index])
    return {
      check: 'no command starts in a directory outside its container',
      passed: leaks.length === 0,
      detail: leaks.length === 0 ? 'none did' : `by the runtime's descriptors ${leaks.join(', ')}: update runc`,
    }
  }

  const counters = async (): Promise<IsolationFinding[]> => {
    const { held } = requireOutput(await runInside(ids.inside, 'plain', begin('hoard', '60')), Held)
    const take = ['python3', program, 'take']
    const [neighbour, host] = await Promise.all([runInside(ids.neighbour, 'target', take), runHelper(take, { NetworkMode: 'none' })])
    const left = { neighbour: requireOutput(neighbour, Taken).taken, host: requireOutput(host, Taken).taken }
    // Without our runtime nothing limits terminals; asynchronous I/O is refused by the seccomp filter.
    const shared = features.boundsCounters ? (['inotify', 'terminals'] as const) : []
    const missing = [
      ...shared.flatMap((kind) => (left.neighbour[kind] > 0 ? [] : [`${kind} of another sandbox`])),
      ...[...shared, 'aio' as const, 'inotify' as const].flatMap((kind) => (left.host[kind] > 0 ? [] : [`${kind} of the host`])),
    ]
    return [
      {
        check: 'control: one sandbox holds as many shared kernel resources as it can get',
        passed: !features.boundsCounters || (held.inotify > 0 && held.terminals > 0),
        detail: JSON.stringify(held),
      },
      {
        check: 'one sandbox cannot exhaust kernel resources that all share',
        passed: missing.length === 0,
        detail: missing.length === 0 ? 'others still get some' : `exhausted: ${missing.join(', ')}`,
      },
    ]
  }

  /** The helper that kills a timed-out command reads /proc, which contains process names that a sandbox chose. */
  const names = async (): Promise<IsolationFinding[]> => {
    const { forged } = requireOutput(await runInside(ids.inside, 'plain', begin('forge', '60')), Forged)
    await runUntilTimeout(ids.inside, 'plain', ['sleep', '86398'])
    const left = requireOutput(await runInside(ids.inside, 'plain', ['python3', program, 'alive', ...forged.map(String)]), Alive)
    return [
      { check: 'control: a command that timed out is killed', passed: !left.late, detail: left.late ? 'it still runs' : 'it was killed' },
      {
        check: 'forged process names do not lead to the kill of other processes',
        passed: left.alive === forged.length,
        detail: `${left.alive} of ${forged.length} others still run`,
      },
    ]
  }

  return async (): Promise<IsolationFinding[]> => (await Promise.all([trace(), handles(), directory(), counters(), names()])).flat()
}
