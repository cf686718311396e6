// What a sandbox was like while it was healthy, before its fault and before any user: what grading compares with.

import type { ScenarioInstance } from '../catalog/scenario.ts'
import type { Observer } from './observer.ts'
import type { ProcessEntry } from './probes/process.ts'

export interface ServiceBaseline {
  readonly imageId: string
  readonly addresses: readonly string[]
  readonly preload: string
  /** SHA-256 by path of every file whose code the required executables run. */
  readonly code: Readonly<Record<string, string>>
}

export interface Baseline {
  /** Seconds since 1970, on the engine's clock as the files carry it. */
  readonly takenAt: number
  readonly services: Readonly<Record<string, ServiceBaseline>>
  /** The scenario's own values, as texts. */
  readonly values: Readonly<Record<string, string>>
}

const codeOf = (processes: readonly ProcessEntry[], mustRun: readonly string[]): Record<string, string> => {
  const code: Record<string, string> = {}
  for (const process of processes.filter(({ executable }) => mustRun.includes(executable))) {
    if (process.sha256 !== null) code[process.executable] = process.sha256
    for (const { path, sha256 } of process.maps) if (sha256 !== null) code[path] = sha256
  }
  return code
}

const scriptMs = 10_000

export const recordBaseline = async (observer: Observer, instance: ScenarioInstance, now: Date): Promise<Baseline> => {
  const state = await observer.engine.describe(observer.sandbox)
  const values = Promise.all(
    Object.entries(instance.baseline).map(async ([name, { script, env }]) => {
      const answer = await observer.ask<{ exit_code: number | null; stdout: string; stderr: string }>(
        { ask: 'script', text: script, env, timeout_ms: scriptMs },
        scriptMs + 5_000,
      )
      const value = answer.stdout.trim()
      if (answer.exit_code !== 0 || value === '')
        throw new Error(`the baseline ${name} is empty (${answer.exit_code}): ${answer.stderr.trim()}`)
      return [name, value] as const
    }),
  )
  const services = Promise.all(
    (state?.services ?? []).map(async (service) => {
      const mustRun = instance.mustRun[service.name] ?? []
      const base = { imageId: service.imageId, addresses: service.addresses }
      if (mustRun.length === 0) return [service.name, { ...base, preload: '', code: {} }] as const
      const [{ processes }, { text }] = await Promise.all([
        observer.look<{ processes: ProcessEntry[] }>(service.name, { look: 'processes' }),
        observer.look<{ text: string }>(service.name, { look: 'preload' }),
      ])
      const code = codeOf(processes, mustRun)
      const missing = mustRun.filter((path) => code[path] === undefined)
      if (missing.length > 0) throw new Error(`${service.name} does not run ${missing.join(', ')}`)
      return [service.name, { ...base, preload: text, code }] as const
    }),
  )
  const [ownValues, seen] = await Promise.all([values, services])
  return { takenAt: now.getTime() / 1000, services: Object.fromEntries(seen), values: Object.fromEntries(ownValues) }
}
