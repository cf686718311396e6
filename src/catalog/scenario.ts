// Loads a scenario: its public course, and what it takes to make an instance for a seed. Checks, faults and solutions never leave the service.

import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import { Course, CourseDetail } from '../contract/course.ts'
import { stepNames } from '../contract/evaluation.ts'
import type { FileSpec } from '../engine/topology.ts'
import { drawParams } from './params.ts'
import { leavesOf, type Probe } from './probe-file.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { instantiate, type ScenarioInstance } from './scenario-instance.ts'
import { readScenario } from './scenario-source.ts'
import { readTexts } from './script-texts.ts'
import { interpolate } from './template.ts'
import { SourceError, valuesUnder } from './yaml-source.ts'

/** The record of the last proof, in the folder of a scenario. */
export const proofFile = 'proof.json'

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
    instantiate: (seed) => instantiate(source, { files, texts }, seed),
  }
}
