// Probe: the state and limits of a container, as the engine reports them.

import { z } from 'zod'
import { systemClock } from '../../clock.ts'
import type { ServiceState } from '../../engine/engine.ts'
import { serviceName, size } from '../field-schemas.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service whose container is looked at.'),
  running: z.boolean().default(true).describe('Whether it must be running, or must be stopped.'),
  memory_at_least: size.optional().describe('Its limit of memory, as it stands on the engine.'),
  cpus_at_least: z.number().positive().optional().describe('Its limit of processors, as it stands on the engine.'),
  pids_at_least: z.int().positive().optional().describe('Its limit of processes, as it stands on the engine.'),
  up_seconds_at_least: z.number().positive().optional().describe('How long it has been running since its last start.'),
})

type Spec = z.infer<typeof schema>

const secondsUp = ({ startedAt }: ServiceState): number =>
  startedAt === null ? 0 : Math.max(0, (systemClock.now().getTime() - startedAt.getTime()) / 1000)

/** The values that are lower than required, each in a few words. */
const shortOf = (spec: Spec, state: ServiceState): string[] => {
  const megabytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB of memory`
  const less = (least: number | undefined, actual: number, words: string) => (least !== undefined && actual < least ? [words] : [])
  return [
    ...less(spec.memory_at_least, state.memoryBytes, megabytes(state.memoryBytes)),
    ...less(spec.cpus_at_least, state.cpus, `${state.cpus} CPUs`),
    ...less(spec.pids_at_least, state.pids, `${state.pids} processes at most`),
    ...less(spec.up_seconds_at_least, secondsUp(state), `up for ${Math.floor(secondsUp(state))} s`),
  ]
}

const run: RunProbe<typeof schema> = async (spec, { observer }) => {
  const state = await observer.engine.describe(observer.sandbox)
  const found = state?.services.find((entry) => entry.name === spec.in)
  if (found === undefined) return { passed: false, saw: `${spec.in} is gone` }
  const short = shortOf(spec, found)
  return {
    passed: found.running === spec.running && short.length === 0,
    saw: [`${spec.in} is ${found.running ? 'running' : 'stopped'}`, ...short].join(', '),
  }
}

export const kind = probeKind({
  looksAt: 'whether a service runs, for how long, and within which limits',
  from: 'the engine',
  schema,
  run,
})
