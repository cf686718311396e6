// Loads a scenario: its public course, and an instance for a seed. Checks, faults and solutions never leave the service.

import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { Course, CourseDetail } from '../contract/course.ts'
import { stepNames } from '../contract/evaluation.ts'
import type { FileSpec, ServiceLimits, ServiceSpec, Topology } from '../engine/engine.ts'
import type { ProbeScript } from '../probes/kinds/script.ts'
import { type DataStore, dataStoresOf } from './data-store-file.ts'
import { drawParams, type Secret, secretsOf } from './params.ts'
import { leavesOf, type Probe } from './probe-file.ts'
import { ofOwnHome } from './program-paths.ts'
import { type RecordSet, recordSetsOf, type Writes } from './records-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { readScenario } from './scenario-source.ts'
import { readTexts } from './script-texts.ts'
import { fillContent, interpolate, type Values } from './template.ts'
import { type Watched, watchedOf } from './watched-file.ts'
import { killedServicesOf } from './writers.ts'
import { SourceError, valuesUnder } from './yaml-source.ts'

const readyTimeoutSeconds = 120
/** The record of the last proof, in the folder of a scenario. */
export const proofFile = 'proof.json'

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

export interface Scenario {
  readonly id: string
  readonly folder: string
  readonly durationMinutes: number
  /** The services that can be entered, workstation first. */
  readonly containers: readonly string[]
  readonly images: readonly string[]
  /** Whether it has a proof record. */
  readonly proven: boolean
  /** Whether the warm pool may contain it. */
  readonly warm: boolean
  /** Whether its workstation has a docker command that sees the sandbox. */
  readonly view: boolean
  readonly course: Course
  readonly detail: CourseDetail
  /** Cause, repair and lesson, with the parameters that a sandbox was started with. */
  readonly debriefFor: (seed: string) => string
  readonly instantiate: (seed: string) => ScenarioInstance
}

/** A file, or all files of a folder, with their paths in the container. Symbolic links must not point outside the scenario's folder. */
const readInto = async (folder: string, source: string, target: string): Promise<FileSpec[]> => {
  const real = await realpath(source)
  if (!real.startsWith(`${await realpath(folder)}${sep}`)) throw new Error(`${target}: a symbolic link points outside the scenario folder`)
  const info = await stat(real)
  if (!info.isDirectory()) return [{ path: target, content: await readFile(source), executable: (info.mode & 0o100) !== 0 }]
  const names = (await readdir(source)).filter((name) => name !== '__pycache__').sort()
  return (await Promise.all(names.map((name) => readInto(folder, join(source, name), posix.join(target, name))))).flat()
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

/** Every probe of a scenario, wherever it stands. */
export const probesOf = (file: ScenarioFile): Probe[] => [
  ...file.fault.flatMap((step) => ('confirm' in step ? [step.confirm] : [])),
  ...file.steps.service_recovered,
  ...file.steps.root_cause_removed,
  ...file.steps.data_preserved,
  ...file.steps.safeguards_kept,
  ...file.steps.stable_under_load.afterwards,
  ...file.steps.stable_under_load.provoke.filter((step) => !('kill' in step)),
  ...file.hints.flatMap((hint) => hint.when ?? []),
]

/** Every script of its folder that a scenario runs. */
export const scriptsOf = (file: ScenarioFile): string[] => [
  ...file.traffic.flatMap((act) => ('script' in act ? [act.script.run] : [])),
  ...file.steps.stable_under_load.load.script.map(({ run }) => run),
  ...file.fault.flatMap((step) => ('run' in step ? [step.run] : [])),
  ...Object.values(file.baseline).map((entry) => entry.script.run),
  ...Object.values(file.records).flatMap(({ rows }) => ('script' in rows ? [rows.script.run] : [])),
  ...probesOf(file)
    .flatMap(leavesOf)
    .flatMap(({ kind, spec }) => kind.scripts?.(spec) ?? []),
]

/** Whether a service needs Linux capabilities beyond what every service has. */
const needsCapabilities = (file: ScenarioFile): boolean => Object.values(file.services).some(({ caps }) => caps.length > 0)

/** A scenario without networks of its own has one, with every service. */
const networksOf = ({ networks, services }: ScenarioFile) =>
  Object.entries(networks ?? { lab: Object.keys(services) }).map(([name, members]) => ({ name, services: members }))

const toDetail = (file: ScenarioFile, brief: string): CourseDetail =>
  CourseDetail.parse({
    ...file,
    requires_account: needsCapabilities(file),
    topology: {
      services: Object.entries(file.services)
        .toSorted(([one], [other]) => Number(other === file.workstation) - Number(one === file.workstation))
        .map(([name, { role, image, ports }]) => ({ name, role, image, ports })),
      links: file.links,
      networks: networksOf(file),
    },
    fault: { symptom: file.symptom, impact: file.impact, started: 'a moment before the sandbox was ready' },
    checkpoints: stepNames,
    hints_available: file.hints.length,
    brief,
  })

export const loadScenario = async (folder: string, name: string): Promise<Scenario> => {
  const source = await readScenario(folder)
  const sample = source.concrete('sample')
  const complain = (path: readonly PropertyKey[], message: string) => new SourceError([source.problemAt(path, message)])
  if (sample.id !== name) throw complain(['id'], `id: ${sample.id} is not the name of its folder`)
  for (const [service, { files }] of Object.entries(sample.services)) {
    for (const [target, path] of Object.entries(files)) {
      await stat(join(folder, path)).catch(() => {
        throw complain(['services', service, 'files', target], `${path} does not exist`)
      })
    }
  }
  const texts = await readTexts(folder, scriptsOf(sample)).catch((error: NodeJS.ErrnoException) => {
    const missing = valuesUnder(sample, 'run').find(({ value }) => join(folder, String(value)) === error.path)
    throw complain(missing?.path ?? [], `${missing?.value ?? error.path} does not exist`)
  })
  const read = (page: string) =>
    readFile(join(folder, page), 'utf8').catch(() => {
      throw complain([], `${page} is missing`)
    })
  const [brief, debrief] = await Promise.all([read('brief.md'), read('debrief.md')])
  const files = new Map(
    await Promise.all(
      Object.entries(sample.services).map(
        async ([service, spec]) =>
          [
            service,
            (await Promise.all(Object.entries(spec.files).map(([target, path]) => readInto(folder, join(folder, path), target)))).flat(),
          ] as const,
      ),
    ),
  )
  const detail = toDetail(sample, brief)
  const proven = await stat(join(folder, proofFile)).then(
    () => true,
    () => false,
  )
  const names = Object.keys(sample.services)

  return {
    id: sample.id,
    folder,
    durationMinutes: sample.duration_minutes,
    containers: [sample.workstation, ...names.filter((service) => service !== sample.workstation)],
    images: [...new Set(Object.values(sample.services).map((service) => service.image))],
    proven,
    warm: sample.warm,
    view: sample.services[sample.workstation]?.view ?? false,
    course: Course.parse(detail),
    detail,
    debriefFor: (seed) => interpolate(debrief, drawParams(seed, source.params)),
    instantiate: (seed) => {
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
                mayChange: service === file.workstation ? [...spec.may_change, ...ofOwnHome] : spec.may_change,
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
    },
  }
}
