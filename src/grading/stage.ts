// Turns a healthy sandbox into an incident: customers arrive, the healthy state is recorded, the fault goes in, the symptom
// is confirmed. Fault scripts travel through standard input and are never stored in the sandbox.

import type { Probe } from '../catalog/probe-file.ts'
import type { ScenarioInstance } from '../catalog/scenario.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import { type Baseline, recordBaseline } from './baseline.ts'
import { type Observer, openObserver } from './observer.ts'
import { observe } from './probe.ts'

const faultMs = 30_000
const confirmMs = 15_000
const paceMs = 5_000

/** Customers come, at the pace that was set last. */
export const startTraffic = async (engine: Engine, sandbox: string, traffic: ScenarioInstance['traffic']) => {
  if (traffic.length === 0) return
  const script = 'setsid python3 /opt/probe/traffic.py "$0" >/dev/null 2>&1 </dev/null &'
  await engine.probe(sandbox, { argv: ['sh', '-c', script, JSON.stringify(traffic)], timeoutMs: 10_000, outputBytes: 4096 })
}

const runFault = async (engine: Engine, sandbox: string, service: string, script: string) => {
  const result = await engine.execDirect(
    { sandbox, service },
    { argv: ['sh', '-s'], stdin: script, timeoutMs: faultMs, outputBytes: 65_536 },
  )
  if (result.exitCode !== 0)
    throw new Error(`the fault could not be set up in ${service}: ${result.stderr.toString().trim() || result.exitCode}`)
}

const confirm = async (observer: Observer, instance: ScenarioInstance, baseline: Baseline, symptom: Probe, withinMs: number) => {
  const context = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
  const { passed, saw } = await observe({ retry: { within_ms: withinMs, probe: symptom } }, context)
  if (!passed) throw new Error(`the symptom did not appear: ${saw}`)
}

const injectFault = async (observer: Observer, instance: ScenarioInstance, baseline: Baseline) => {
  for (const step of instance.fault) {
    if ('in' in step) await runFault(observer.engine, observer.sandbox, step.in, step.script)
    else await confirm(observer, instance, baseline, step.confirm, confirmMs)
  }
}

/** Throws unless the symptoms that the fault ends in are there. */
export const confirmSymptom = async (
  observer: Observer,
  instance: ScenarioInstance,
  baseline: Baseline,
  withinMs: number,
): Promise<void> => {
  const lastChange = instance.fault.findLastIndex((step) => 'in' in step)
  const symptoms = instance.fault.slice(lastChange + 1).flatMap((step) => ('confirm' in step ? [step.confirm] : []))
  await Promise.all(symptoms.map((symptom) => confirm(observer, instance, baseline, symptom, withinMs)))
}

/** How busy the customers are from now on; 1 is as authored. */
export const setPace = async (observer: Observer, pace: number): Promise<void> => {
  await observer.ask({ ask: 'pace', pace }, paceMs)
}

/** Baseline values under the names that probes use. */
export const baselineNames = (baseline: Baseline): Record<string, string> =>
  Object.fromEntries(Object.entries(baseline.values).map(([name, value]) => [`baseline.${name}`, value]))

export interface StageOptions {
  /** False leaves the system healthy: proofs start from there. */
  readonly fault: boolean
}

export const stage = async (
  engine: Engine,
  clock: Clock,
  sandbox: string,
  instance: ScenarioInstance,
  options: StageOptions,
): Promise<Baseline> => {
  const observer = openObserver(engine, sandbox)
  try {
    const [baseline] = await Promise.all([recordBaseline(observer, instance, clock.now()), startTraffic(engine, sandbox, instance.traffic)])
    const inspected = Promise.all(Object.keys(baseline.services).map((service) => observer.forget(service)))
    if (options.fault) await injectFault(observer, instance, baseline)
    await inspected
    return baseline
  } finally {
    await observer.close()
  }
}
