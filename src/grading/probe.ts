// Runs a tree of probes: combines them with all, any, not and retry. The files below probes/ run the leaves.

import { randomBytes } from 'node:crypto'
import type { LeafProbe, Probe } from '../catalog/probe-file.ts'
import { fill } from '../catalog/template.ts'
import { differAll, holds, type Observation, sawOf } from './observation.ts'
import { Unobservable } from './observer.ts'
import type { Look, ProbeContext } from './probe-context.ts'
import { look as container } from './probes/container.ts'
import { look as dns } from './probes/dns.ts'
import { look as exec } from './probes/exec.ts'
import { look as file } from './probes/file.ts'
import { look as http } from './probes/http.ts'
import { look as listener } from './probes/listener.ts'
import { look as peers } from './probes/peers.ts'
import { look as process } from './probes/process.ts'
import { look as script } from './probes/script.ts'
import { look as tcp } from './probes/tcp.ts'

const looks = { container, dns, exec, file, http, listener, peers, process, script, tcp } as const
const pauseMs = 40

const lookAt = async (leaf: LeafProbe, context: ProbeContext): Promise<Observation> => {
  const [kind, spec] = Object.entries(leaf)[0] as [keyof typeof looks, never]
  const filled = fill(spec, { ...context.values, nonce: randomBytes(8).toString('hex') })
  try {
    return await (looks[kind] as Look<never>)(filled, context)
  } catch (error) {
    if (error instanceof Unobservable) return error.observation
    throw error
  }
}

const retry = async (probe: Probe, withinMs: number, context: ProbeContext): Promise<Observation> => {
  const until = performance.now() + withinMs
  for (;;) {
    const observation = await observe(probe, context)
    if (observation.passed || performance.now() + pauseMs > until) return observation
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export const observe = async (probe: Probe, context: ProbeContext): Promise<Observation> => {
  if ('all' in probe) return observeAll(probe.all, context)
  if ('any' in probe) {
    const observations = await Promise.all(probe.any.map((part) => observe(part, context)))
    const good = observations.find((observation) => observation.passed)
    return good ?? differAll(observations)
  }
  if ('not' in probe) {
    const inner = await observe(probe.not, context)
    return inner.unobservable ? inner : { passed: !inner.passed, saw: inner.saw }
  }
  if ('retry' in probe) return retry(probe.retry.probe, probe.retry.within_ms, context)
  return lookAt(probe, context)
}

/** Runs all at once; the result is made of those that failed. */
export const observeAll = async (probes: readonly Probe[], context: ProbeContext): Promise<Observation> => {
  const observations = await Promise.all(probes.map((probe) => observe(probe, context)))
  const wrong = observations.filter((observation) => !observation.passed)
  return wrong.length > 0 ? differAll(wrong) : holds(sawOf(observations))
}
