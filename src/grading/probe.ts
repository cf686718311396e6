// Runs a tree of probes: combines them with all, any, not and retry. The files below probes/ run the leaves.

import { randomBytes } from 'node:crypto'
import type { LeafProbe, Probe } from '../catalog/probe-file.ts'
import { fill } from '../catalog/template.ts'
import { differAll, holds, type Observation, sawOf } from './observation.ts'
import { Unobservable } from './observer.ts'
import type { ProbeContext, RunProbe } from './probe-context.ts'
import { run as container } from './probes/container.ts'
import { run as dns } from './probes/dns.ts'
import { run as exec } from './probes/exec.ts'
import { run as file } from './probes/file.ts'
import { run as http } from './probes/http.ts'
import { run as listener } from './probes/listener.ts'
import { run as peers } from './probes/peers.ts'
import { run as process } from './probes/process.ts'
import { run as script } from './probes/script.ts'
import { run as tcp } from './probes/tcp.ts'

const leafProbes = { container, dns, exec, file, http, listener, peers, process, script, tcp } as const
const pauseMs = 40

const runLeaf = async (leaf: LeafProbe, context: ProbeContext): Promise<Observation> => {
  const [kind, spec] = Object.entries(leaf)[0] as [keyof typeof leafProbes, never]
  const filled = fill(spec, { ...context.values, nonce: randomBytes(8).toString('hex') })
  try {
    return await (leafProbes[kind] as RunProbe<never>)(filled, context)
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
  return runLeaf(probe, context)
}

/** Runs all at once; the result is made of those that failed. */
export const observeAll = async (probes: readonly Probe[], context: ProbeContext): Promise<Observation> => {
  const observations = await Promise.all(probes.map((probe) => observe(probe, context)))
  const wrong = observations.filter((observation) => !observation.passed)
  return wrong.length > 0 ? differAll(wrong) : holds(sawOf(observations))
}
