// The baseline: the recorded state of a sandbox while it was healthy, before the fault and before any user. Grading compares with it.

import { z } from 'zod'
import { anyRecord } from '../any-record.ts'
import { isBelow } from '../catalog/program-paths.ts'
import type { Guard, ScenarioInstance } from '../catalog/scenario-instance.ts'
import { parseCheckedJson } from '../checked-json.ts'
import { StoreDescription } from '../data-stores/data-store-kind.ts'
import { wasKilled } from '../probes/exit-codes.ts'
import { PreloadAnswer, type ProcessEntry, ProcessesAnswer } from '../probes/kinds/process.ts'
import { ScriptAnswer } from '../probes/kinds/script.ts'
import { killed, timedOut } from '../probes/observation.ts'
import { baselineVersion } from './baseline-version.ts'
import { describeStores } from './data-stores.ts'
import { describeLogs, HeldLogs } from './logs.ts'
import { type Observer, Unobservable } from './observer.ts'
import { foldersIn, intactPaths } from './program-files.ts'
import { describeRecords, Rows } from './records.ts'
import { describeSecrets, OpenSecrets } from './secrets.ts'
import { readSettings, SettingsFile } from './settings-files.ts'

const ServiceBaseline = z.object({
  imageId: z.string(),
  addresses: z.array(z.string()).readonly(),
  preload: z.string(),
  /** SHA-256 by path of every file that the required executables have mapped as code. */
  code: anyRecord(z.string()),
  /** A digest of every file in the guarded folders, by path. */
  trees: anyRecord(z.string()),
  /** The lines of settings files that a repair must not change, by path. */
  settings: z.record(z.string(), SettingsFile),
  /** Mode and owner of the folders of the image whose programs have given them others, by path. */
  folders: anyRecord(z.string()),
})
export type ServiceBaseline = Readonly<z.infer<typeof ServiceBaseline>>

/** The row of a sandbox keeps it: whoever changes it counts up `baselineForm`. */
export const Baseline = z.object({
  /** What it was recorded with (baseline-version.ts). */
  version: z.string(),
  /** Seconds since 1970 on the engine's clock, comparable with timestamps of files. */
  takenAt: z.number(),
  services: z.record(z.string(), ServiceBaseline),
  /** The values that the scenario's own baseline scripts printed. */
  values: z.record(z.string(), z.string()),
  /** What the data stores of the scenario were like, by service. */
  stores: z.record(z.string(), StoreDescription),
  /** The rows of each set of records. */
  records: z.record(z.string(), Rows),
  /** Which secrets lay open, and which files were closed, by service. */
  secrets: z.record(z.string(), OpenSecrets),
  /** What logs held, by service: not while healthy, but when the sandbox was handed over. */
  logs: z.record(z.string(), HeldLogs),
})
export type Baseline = Readonly<z.infer<typeof Baseline>>

/** Reads a baseline as the row of its sandbox stores it. */
export const readBaseline = (text: string): Baseline => parseCheckedJson(Baseline, text)

const Versioned = z.object({ version: z.string().default('') })
/** Of a baseline in whatever form: servers that are older than versions recorded none. */
export const versionIn = (text: string): string => parseCheckedJson(Versioned, text).version

export type BaselineValues = Pick<Baseline, 'values'>
const BaselineValues = Baseline.pick({ values: true })
/** Reads only what confirming a symptom needs: the claim of a warm sandbox waits for this, and not for the rest. */
export const readBaselineValues = (text: string): BaselineValues => parseCheckedJson(BaselineValues, text)

const codeOf = (processes: readonly ProcessEntry[], mustRun: readonly string[]): Record<string, string> => {
  const code: Record<string, string> = {}
  for (const process of processes.filter(({ executable }) => mustRun.includes(executable))) {
    if (process.sha256 !== null) code[process.executable] = process.sha256
    for (const { path, sha256 } of process.maps) if (sha256 !== null) code[path] = sha256
  }
  return code
}

const scriptMs = 20_000
const TreesAnswer = z.object({ entries: anyRecord(z.string()) })

/** The services that grading needs an inspector for in any case. */
export const inspectedServices = ({ guards, watched }: Pick<ScenarioInstance, 'guards' | 'watched'>): string[] =>
  Object.entries(guards)
    .filter(([service, guard]) => Object.hasOwn(watched, service) || guard.mustRun.length > 0 || intactPaths(guard).length > 0)
    .map(([service]) => service)

/** A digest of every file below the given paths. */
export const readTrees = async (observer: Observer, service: string, paths: readonly string[]): Promise<Record<string, string>> =>
  paths.length === 0 ? {} : (await observer.inspect(service, { inspection: 'trees', paths }, TreesAnswer)).entries

const readCode = async (observer: Observer, service: string, mustRun: readonly string[]) => {
  if (mustRun.length === 0) return { preload: '', code: {} }
  const [{ processes }, { text: preload }] = await Promise.all([
    observer.inspect(service, { inspection: 'processes' }, ProcessesAnswer),
    observer.inspect(service, { inspection: 'preload' }, PreloadAnswer),
  ])
  const code = codeOf(processes, mustRun)
  const missing = mustRun.filter((path) => code[path] === undefined)
  if (missing.length > 0) throw new Error(`${service} does not run ${missing.join(', ')}`)
  return { preload, code }
}

export const recordBaseline = async (observer: Observer, instance: ScenarioInstance, now: Date): Promise<Baseline> => {
  const state = await observer.engine.describe(observer.sandbox)
  const values = Promise.all(
    Object.entries(instance.baseline).map(async ([name, { script, env }]) => {
      const answer = await observer.ask({ ask: 'script', text: script, env, timeout_ms: scriptMs }, ScriptAnswer, scriptMs + 5_000)
      if (answer.exit_code === null)
        throw new Unobservable(timedOut(`the script of the baseline ${name} did not end in ${scriptMs / 1000} s`))
      if (wasKilled(answer.exit_code)) throw new Unobservable(killed(`the script of the baseline ${name} was killed`))
      const value = answer.stdout.trim()
      if (answer.exit_code !== 0 || value === '')
        throw new Error(`the baseline ${name} is empty (${answer.exit_code}): ${answer.stderr.trim()}`)
      return [name, value] as const
    }),
  )
  const services = Promise.all(
    (state?.services ?? []).map(async ({ name, imageId, addresses }) => {
      const guard = instance.guards[name] as Guard
      const { mustRun, settings } = guard
      const intact = intactPaths(guard)
      const [code, trees, files, changes] = await Promise.all([
        readCode(observer, name, mustRun),
        readTrees(observer, name, intact),
        readSettings(observer, name, settings),
        observer.changes(name),
      ])
      const empty = intact.find((path) => !Object.keys(trees).some((file) => isBelow(file, [path])))
      if (empty !== undefined) throw new Error(`${name} has no ${empty}`)
      const unread = Object.entries(files).find(([, file]) => typeof file === 'string')
      if (unread !== undefined) throw new Error(`${unread.join(' ')} in ${name}`)
      const kept = files as Record<string, SettingsFile>
      return [name, { imageId, addresses, ...code, trees, settings: kept, folders: foldersIn(changes ?? []) }] as const
    }),
  )
  const [version, ownValues, seen, stores, records, secrets] = await Promise.all([
    baselineVersion(observer.engine, instance),
    values,
    services,
    describeStores(observer, instance.dataStores),
    describeRecords(
      observer,
      instance.records.filter(({ grows }) => !grows),
    ),
    describeSecrets(observer, instance),
  ])
  const read = { services: Object.fromEntries(seen), values: Object.fromEntries(ownValues), stores, records, secrets }
  return { version, takenAt: now.getTime() / 1000, ...read, logs: {} }
}

/** Adds what is evidence of the incident, and so is recorded once it has happened: logs, and tables that tell of events. */
export const recordEvidence = async (observer: Observer, instance: ScenarioInstance, baseline: Baseline): Promise<Baseline> => {
  const [logs, records] = await Promise.all([
    describeLogs(observer, instance.watched),
    describeRecords(
      observer,
      instance.records.filter(({ grows }) => grows),
    ),
  ])
  return { ...baseline, logs, records: { ...baseline.records, ...records } }
}

/** Baseline values under the names that probes use. */
export const baselineNames = (baseline: BaselineValues): Record<string, string> =>
  Object.fromEntries(Object.entries(baseline.values).map(([name, value]) => [`baseline.${name}`, value]))
