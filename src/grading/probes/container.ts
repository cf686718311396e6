// Probe: the state and limits of a container, as the engine reports them.

import type { LeafProbe } from '../../catalog/probe-file.ts'
import { systemClock } from '../../clock.ts'
import type { ServiceState } from '../../engine/engine.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { container: unknown }>['container']

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

export const run: RunProbe<Spec> = async (spec, { observer }) => {
  const state = await observer.engine.describe(observer.sandbox)
  const found = state?.services.find((entry) => entry.name === spec.in)
  if (found === undefined) return { passed: false, saw: `${spec.in} is gone` }
  const short = shortOf(spec, found)
  return {
    passed: found.running === spec.running && short.length === 0,
    saw: [`${spec.in} is ${found.running ? 'running' : 'stopped'}`, ...short].join(', '),
  }
}
