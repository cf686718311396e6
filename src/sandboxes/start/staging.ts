// Turns a healthy sandbox into an incident: starts the traffic, records the baseline, injects the fault, confirms the symptom. Fault
// scripts are passed through standard input and never stored in the sandbox.

import { z } from 'zod'
import type { Probe } from '../../catalog/probe-file.ts'
import type { ScenarioInstance } from '../../catalog/scenario-instance.ts'
import type { Clock } from '../../clock.ts'
import type { Engine, Progress } from '../../engine/engine.ts'
import {
  type Baseline,
  type BaselineValues,
  baselineNames,
  inspectedServices,
  recordBaseline,
  recordEvidence,
} from '../../grading/baseline.ts'
import { InfrastructureError, type Observer, openObserver, Unobservable } from '../../grading/observer.ts'
import { observe } from '../../grading/probe-tree.ts'
import { oneLine } from '../../probes/observation.ts'

const faultMs = 120_000
const confirmMs = 45_000
const paceMs = 5_000
const trafficMs = 30_000
const Done = z.object({})

/** What is told while a sandbox is built, in this order. */
export const stageSteps: readonly string[] = ['starting the machines', 'letting customers in']
const [startingMachines, lettingCustomersIn] = stageSteps as [string, string]

/** Starts the background traffic at the rate that was set last; it goes on when the observer is closed. */
const startTrafficBy = async (observer: Observer, traffic: ScenarioInstance['traffic']): Promise<void> => {
  if (traffic.length > 0) await observer.ask({ ask: 'traffic', traffic }, Done, trafficMs)
}

/** The same for a sandbox whose probe was restarted. */
export const startTraffic = async (engine: Engine, sandbox: string, traffic: ScenarioInstance['traffic']): Promise<void> => {
  const observer = openObserver(engine, sandbox)
  try {
    await startTrafficBy(observer, traffic)
  } finally {
    await observer.close()
  }
}

const runFault = async (engine: Engine, sandbox: string, service: string, script: string) => {
  const result = await engine.execDirect(
    { sandbox, service },
    { argv: ['sh', '-s'], stdin: script, timeoutMs: faultMs, outputBytes: 65_536 },
  )
  if (result.exitCode !== 0)
    throw new Error(`the fault could not be set up in ${service} (${result.exitCode}): ${oneLine(`${result.stderr}\n${result.stdout}`)}`)
}

const confirm = async (observer: Observer, instance: ScenarioInstance, baseline: BaselineValues, symptom: Probe, withinMs: number) => {
  const context = { observer, scriptText: instance.scriptText, values: baselineNames(baseline) }
  const { passed, saw } = await observe({ retry: { within_ms: withinMs, probe: symptom } }, context)
  if (!passed) throw new Error(`the symptom did not appear: ${saw}`)
}

const injectFault = async (observer: Observer, instance: ScenarioInstance, baseline: Baseline) => {
  for (const step of instance.fault) {
    if ('script' in step) await runFault(observer.engine, observer.sandbox, step.in, step.script)
    else if ('limits' in step) await observer.engine.limit({ sandbox: observer.sandbox, service: step.in }, step.limits)
    else await confirm(observer, instance, baseline, step.confirm, confirmMs)
  }
}

/** Throws unless the confirmations of the fault succeed. */
export const confirmSymptom = async (
  observer: Observer,
  instance: ScenarioInstance,
  baseline: BaselineValues,
  withinMs: number,
): Promise<void> => {
  const lastChange = instance.fault.findLastIndex((step) => 'in' in step)
  const symptoms = instance.fault.slice(lastChange + 1).flatMap((step) => ('confirm' in step ? [step.confirm] : []))
  await Promise.all(symptoms.map((symptom) => confirm(observer, instance, baseline, symptom, withinMs)))
}

/** Sets the rate of the background traffic; 1 is as authored. */
export const setTrafficRate = async (observer: Observer, rate: number): Promise<void> => {
  await observer.ask({ ask: 'pace', pace: rate }, Done, paceMs)
}

export interface StageOptions {
  /** False leaves the system healthy, which a proof checks too. */
  readonly fault: boolean
  readonly progress?: Progress
}

/** Creates the sandbox, and opens its observer while the services are still getting ready. */
const createObserved = async (engine: Engine, { id, deadline, instance }: StageRequest): Promise<Observer> => {
  let observer: Observer | undefined
  const onStarted = () => {
    observer = openObserver(engine, id)
    for (const service of inspectedServices(instance)) observer?.warm(service)
  }
  try {
    await engine.create({ id, topology: instance.topology, deadline, onStarted })
  } catch (error) {
    await observer?.close()
    throw error
  }
  return observer ?? openObserver(engine, id)
}

/** No user has been in this sandbox yet, so a timeout there is a failure of the infrastructure. */
const asInfrastructureError = (error: unknown): never => {
  throw error instanceof Unobservable && error.observation.timedOut ? new InfrastructureError(error.message, error) : error
}

/** What to build. */
export interface StageRequest {
  readonly id: string
  readonly deadline: Date
  readonly instance: ScenarioInstance
}

/** Creates a sandbox that is ready for users. Returns its baseline. */
export const stage = async (
  engine: Engine,
  clock: Clock,
  request: StageRequest,
  { fault, progress = () => undefined }: StageOptions,
): Promise<Baseline> => {
  const { instance } = request
  progress(startingMachines)
  const observer = await createObserved(engine, request)
  try {
    progress(lettingCustomersIn)
    const recording = recordBaseline(observer, instance, clock.now()).catch(asInfrastructureError)
    const [baseline] = await Promise.all([recording, startTrafficBy(observer, instance.traffic)])
    const inspected = Promise.all(Object.keys(baseline.services).map((service) => observer.forget(service)))
    if (fault) await injectFault(observer, instance, baseline)
    await inspected
    return await recordEvidence(observer, instance, baseline).catch(asInfrastructureError)
  } finally {
    await observer.close()
  }
}
