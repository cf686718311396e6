// Runs a tree of probes: combines them with all, any, not and retry. The files below src/probes/kinds/ run the leaves.

import { randomBytes } from 'node:crypto'
import type { Probe } from '../catalog/probe-file.ts'
import { fill } from '../catalog/template.ts'
import { poll } from '../polling.ts'
import { differAll, holds, type Observation, sawOf } from '../probes/observation.ts'
import type { ProbeContext } from '../probes/probe-kind.ts'
import { type LeafProbe, leafOf } from '../probes/probe-kinds.ts'
import { Unobservable } from './observer.ts'

const pauseMs = 40

const runLeaf = async (leaf: LeafProbe, context: ProbeContext): Promise<Observation> => {
  const { kind, spec } = leafOf(leaf)
  const filled = fill(spec, { ...context.values, nonce: randomBytes(8).toString('hex') })
  try {
    return await kind.run(filled, context)
  } catch (error) {
    if (error instanceof Unobservable) return error.observation
    throw error
  }
}

/** Until it passes. What does not in its time has timed out: on a slow host that says nothing about the sandbox. */
export const observeUntil = async (work: () => Promise<Observation>, pace: { readonly pauseMs: number; readonly withinMs: number }) => {
  const last = await poll(work, ({ passed }) => passed, pace)
  return last.passed ? last : { ...last, timedOut: true }
}

/** Once more where a program of ours was killed: what else used the memory may have ended. */
export const observeUnlessKilled = async (work: () => Promise<Observation>): Promise<Observation> => {
  const seen = await work()
  return seen.killed ? work() : seen
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
  if ('retry' in probe) {
    const { probe: retried, within_ms: withinMs } = probe.retry
    return observeUntil(() => observe(retried, context), { pauseMs, withinMs })
  }
  return runLeaf(probe, context)
}

/** Runs all at once; the result is made of those that failed. */
export const observeAll = async (probes: readonly Probe[], context: ProbeContext): Promise<Observation> => {
  const observations = await Promise.all(probes.map((probe) => observe(probe, context)))
  const wrong = observations.filter((observation) => !observation.passed)
  return wrong.length > 0 ? differAll(wrong) : holds(sawOf(observations))
}
