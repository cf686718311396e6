// A scenario with the parameters of one session filled in: what is built, broken and graded.

import type { FileSpec, ServiceLimits, ServiceSpec, Topology } from '../engine/topology.ts'
import type { ProbeScript } from '../probes/kinds/script.ts'
import { type DataStore, dataStoresOf } from './data-store-file.ts'
import { drawParams, type Secret, secretsOf } from './params.ts'
import type { Probe } from './probe-file.ts'
import { ofOwnMachine } from './program-paths.ts'
import { type RecordSet, recordSetsOf, type Writes } from './records-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { ScenarioSource } from './scenario-source.ts'
import { fillContent, interpolate, type Values } from './template.ts'
import { type Watched, watchedOf } from './watched-file.ts'
import { killedServicesOf } from './writers.ts'

const readyTimeoutSeconds = 120

/** One act of a customer, in the format of the probe's programs. */
export type TrafficStep = (
  | { readonly http: Readonly<Record<string, unknown>> }
  | { readonly script: { readonly text: string; readonly env: Readonly<Record<string, string>>; readonly timeout_ms: number } }
) & { readonly writes: Readonly<Record<string, readonly string[]>> }

export interface Guard {
  /** Executables that must run. */
  readonly mustRun: readonly string[]
  /** Files and folders that must be as they were. */
  readonly intact: readonly string[]
  /** Exceptions from `intact` and from the program files of the image. */
  readonly mayChange: readonly string[]
  /** The scenario's own files, which are not the image's. */
  readonly providedFiles: readonly string[]
  /** Files in which whole lines that match may differ, by path. */
  readonly settings: Readonly<Record<string, string>>
}

export type FaultStep =
  | { readonly in: string; readonly script: string }
  | { readonly in: string; readonly limits: Partial<ServiceLimits> }
  | { readonly confirm: Probe }

/** A scenario with the parameters of one session filled in. */
export interface ScenarioInstance {
  readonly id: string
  readonly params: Values
  readonly topology: Topology
  readonly traffic: readonly (TrafficStep & { readonly rate: number })[]
  readonly load: readonly TrafficStep[]
  /** The services that are killed while customers write. */
  readonly killed: readonly string[]
  /** What customers do that writes into records. */
  readonly writers: readonly TrafficStep[]
  readonly baseline: Readonly<Record<string, { readonly script: string; readonly env: Readonly<Record<string, string>> }>>
  /** Stores that are compared with what they were before the fault. */
  readonly dataStores: readonly DataStore[]
  /** Rows that must be as they were, and as customers were told since. */
  readonly records: readonly RecordSet[]
  readonly fault: readonly FaultStep[]
  readonly breaks: readonly string[]
  /** What must not change on each service. */
  readonly guards: Readonly<Record<string, Guard>>
  readonly steps: ScenarioFile['steps']
  readonly hints: ScenarioFile['hints']
  /** Whose logs and keys are watched, by service: all but the workstation. */
  readonly watched: Readonly<Record<string, Watched>>
  /** Parameters that must lie open nowhere. */
  readonly secrets: readonly Secret[]
  /** Patterns of what must lie open nowhere, by name. */
  readonly private: Readonly<Record<string, string>>
  /** The text of a check script, by its path in the folder. */
  readonly scriptText: (path: string) => string
}

const toService = (name: string, file: ScenarioFile['services'][string], files: readonly FileSpec[]): ServiceSpec => ({
  name,
  image: file.image,
  ...(file.command === undefined ? {} : { command: file.command }),
  environment: file.env,
  files,
  storage: Object.entries(file.tmpfs).map(([path, { size, inodes }]) => ({
    path,
    bytes: size,
    ...(inodes === undefined ? {} : { inodes }),
  })),
  memoryBytes: file.memory,
  cpus: file.cpus,
  pids: file.pids,
  capabilities: file.caps,
  sysctls: file.sysctls,
  init: file.init,
  ...(file.ready === undefined ? {} : { ready: file.ready }),
})

type LimitStep = Extract<ScenarioFile['fault'][number], { limit: unknown }>['limit']

const toLimits = ({ in: service, memory, cpus, pids }: LimitStep): FaultStep => ({
  in: service,
  limits: {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
  },
})

/** What was read of its folder: the files of each service, and the text of each script by its path. */
interface FolderContent {
  readonly files: ReadonlyMap<string, readonly FileSpec[]>
  readonly texts: ReadonlyMap<string, string>
}

export const instantiate = (source: ScenarioSource, { files, texts }: FolderContent, seed: string): ScenarioInstance => {
  const file = source.concrete(seed)
  const params = drawParams(seed, source.params)
  const networks = Object.entries(file.networks ?? {}).map(([network, members]) => ({ name: network, services: members }))
  const { load } = file.steps.stable_under_load
  const dataStores = dataStoresOf(file.data_stores)
  const text = (path: string) => interpolate(texts.get(path) ?? '', params)
  const toTrafficStep = (act: { http: { writes?: Writes } } | { script: ProbeScript & { writes?: Writes } }): TrafficStep => {
    if ('http' in act) {
      const { writes = {}, ...http } = act.http
      return { http, writes }
    }
    const { run, env, timeout_ms, writes = {} } = act.script
    return { script: { text: text(run), env, timeout_ms }, writes }
  }
  const services = Object.entries(file.services).map(([service, spec]) => {
    const filled = (files.get(service) ?? []).map((entry) => ({ ...entry, content: fillContent(entry.content, params) }))
    return toService(service, spec, filled)
  })
  const traffic = file.traffic.map((act) => ({ rate: 'http' in act ? act.http.rate : act.script.rate, ...toTrafficStep(act) }))
  const acts = [...load.http.map((http) => toTrafficStep({ http })), ...load.script.map((script) => toTrafficStep({ script }))]
  return {
    id: file.id,
    params,
    topology: { services, readyTimeoutSeconds, ...(networks.length === 0 ? {} : { networks }) },
    traffic,
    load: acts,
    writers: [...traffic, ...acts].filter(({ writes }) => Object.keys(writes).length > 0),
    killed: killedServicesOf(file),
    baseline: Object.fromEntries(
      Object.entries(file.baseline).map(([key, { script }]) => [key, { script: text(script.run), env: script.env }]),
    ),
    dataStores,
    records: recordSetsOf(file.records, dataStores, text),
    fault: file.fault.flatMap((step): FaultStep[] => {
      if ('confirm' in step) return [step]
      if ('limit' in step) return [toLimits(step.limit)]
      return [step.in].flat().map((service) => ({ in: service, script: text(step.run) }))
    }),
    breaks: file.breaks,
    guards: Object.fromEntries(
      Object.entries(file.services).map(([service, spec]) => {
        const providedFiles = (files.get(service) ?? []).map(({ path }) => path)
        return [
          service,
          {
            mustRun: spec.must_run,
            intact: spec.intact,
            mayChange: service === file.workstation ? [...spec.may_change, ...ofOwnMachine] : spec.may_change,
            providedFiles,
            settings: spec.settings,
          },
        ]
      }),
    ),
    watched: watchedOf(file),
    secrets: secretsOf(source.params, params),
    private: file.private,
    steps: file.steps,
    hints: file.hints,
    scriptText: text,
  }
}
