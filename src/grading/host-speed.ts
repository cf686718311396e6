// Measures the host itself, by work that no sandbox has a part in: a timeout on a slow host says nothing about a sandbox.

import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { stopwatch } from '../clock.ts'
import { ScriptAnswer } from '../probes/kinds/script.ts'
import type { Observation } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { InfrastructureError } from './observer.ts'

/** Above this latency of the control, the host is too slow to judge latencies. */
export const controlBoundMs = 100
/** How many times an empty script is timed. */
const controls = 5
/** Above this mean of the control, what timed out gets its time again. */
const busyMs = 12
/** A host that needs longer for all the controls is busy, or slow, whatever they come to. */
const busyTotalMs = 1_500
const slowTotalMs = 5_000
/** A host with more programs than this that want each of its processors, over the last minute, is busy, however quick the controls are: a sandbox that is graded comes first. */
const busyLoad = 2
const HostAnswer = z.object({ load: z.number(), processors: z.int().min(1) })
const nothing = { ask: 'script', text: ':', env: {}, timeout_ms: 10_000 }

export const tooSlow = (saw: string) => new InfrastructureError(`the host is too slow to judge: ${saw}`)

/** How long it takes each time. */
const timesOf = async (count: number, work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  while (times.length < count) {
    const took = stopwatch()
    await work()
    times.push(took())
  }
  return times
}
const medianOf = (times: readonly number[]): number => times.toSorted((left, right) => left - right)[times.length >> 1] as number
const meanOf = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length

/** On an idle host this takes five to ten milliseconds. */
const runNothing = (observer: ProbeObserver) => observer.ask(nothing, ScriptAnswer, 15_000)

/** What the work comes to, or true where that takes too long. */
const inTime = async (work: Promise<boolean>, mostMs: number): Promise<boolean> => {
  const decided = new AbortController()
  const late = delay(mostMs, true, { signal: decided.signal }).catch(() => true)
  try {
    return await Promise.race([work, late])
  } finally {
    decided.abort()
  }
}

const isSlow = async (observer: ProbeObserver): Promise<boolean> => {
  const times = await Promise.all([
    timesOf(controls, () => runNothing(observer)),
    timesOf(controls, () => observer.engine.inspectNothing()),
  ])
  return Math.max(...times.map(medianOf)) > controlBoundMs
}

/** After a timeout: throws if the host itself is slow, or busy with inspections of other sandboxes. */
export const requireFastHost = async (observer: ProbeObserver, saw: string): Promise<void> => {
  if (await inTime(isSlow(observer), slowTotalMs)) throw tooSlow(saw)
}

const isLoaded = async (observer: ProbeObserver): Promise<boolean> => {
  const { load, processors } = await observer.ask({ ask: 'host' }, HostAnswer, 15_000)
  return load > busyLoad * processors
}

/** Whether services need longer than usual to start. */
export const isBusy = (observer: ProbeObserver): Promise<boolean> =>
  inTime(
    isLoaded(observer).then(async (loaded) => loaded || meanOf(await timesOf(2 * controls, () => runNothing(observer))) > busyMs),
    busyTotalMs,
  )

/** After a timeout: on a busy host. Where a program of ours was killed, on any: other steps used the same memory at the same time. */
export const isWorthAnotherLook = async (observer: ProbeObserver, { timedOut, killed }: Observation): Promise<boolean> =>
  timedOut === true && (killed === true || (await isBusy(observer)))

/** When no time is left: throws if the host is busy, because everything may have needed longer. */
export const requireIdleHost = async (observer: ProbeObserver, saw: string): Promise<void> => {
  if (await isBusy(observer)) throw tooSlow(saw)
}
