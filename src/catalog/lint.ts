// Lints a scenario for what the schema cannot express. Runs nothing of it.

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluationSeconds } from '../contract/evaluation.ts'
import { messageOf } from '../errors.ts'
import { filesBelow } from '../files-below.ts'
import { type Attempt, readCheats, readSolutions } from './attempt-file.ts'
import { lintGuards } from './lint-guards.ts'
import { lintProvocations, provocationSeconds } from './lint-provocations.ts'
import { lintRecords } from './lint-records.ts'
import { lintTexts } from './lint-texts.ts'
import { lintTrust, observedProbesOf } from './lint-trust.ts'
import { drawParams, undecidedSecrets } from './params.ts'
import type { Probe } from './probe-file.ts'
import { loadScenario, scriptsOf } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { readScenario } from './scenario-source.ts'
import type { PathProblem } from './schema-problems.ts'
import { helpersOf } from './script-texts.ts'
import { namesIn, type Values } from './template.ts'
import { describeProblem, type Problem, problemIn, SourceError, valuesUnder } from './yaml-source.ts'

const imagesFolder = join(import.meta.dirname, '../../images')
/** Time for restarts and checks beyond the authored load and restart windows. */
const allowanceSeconds = 10
const leastCheats = 3

const retrySeconds = (probe: Probe): number => {
  if ('retry' in probe) return probe.retry.within_ms / 1000
  if ('all' in probe || 'any' in probe) return Math.max(0, ...('all' in probe ? probe.all : probe.any).map(retrySeconds))
  return 'not' in probe ? retrySeconds(probe.not) : 0
}

const lintReferences = (file: ScenarioFile): PathProblem[] => {
  const services = Object.keys(file.services)
  const problems: PathProblem[] = []
  const known = (service: string | undefined, path: readonly PropertyKey[]) => {
    if (service !== undefined && !services.includes(service)) problems.push({ path, message: `there is no service ${service}` })
  }
  for (const part of ['fault', 'steps', 'hints', 'recurring'] as const)
    for (const { path, value } of valuesUnder(file[part], 'in', [part])) for (const service of [value].flat()) known(String(service), path)
  for (const [index, step] of file.fault.entries()) {
    if (!('limit' in step)) continue
    const authored = file.services[step.limit.in]
    for (const name of ['memory', 'cpus', 'pids'] as const) {
      if (authored === undefined || (step.limit[name] ?? 0) <= authored[name]) continue
      problems.push({
        path: ['fault', index, 'limit', name],
        message: `is higher than the ${name} of ${step.limit.in}: a user could not restore it`,
      })
    }
  }
  for (const service of Object.keys(file.data_stores)) known(service, ['data_stores', service])
  for (const { path, value } of valuesUnder(file.data_stores, 'members', ['data_stores']))
    for (const service of [value].flat()) known(String(service), path)
  for (const service of file.steps.survives_restart.restart ?? []) known(service, ['steps', 'survives_restart', 'restart'])
  for (const [network, members] of Object.entries(file.networks ?? {})) for (const service of members) known(service, ['networks', network])
  const placed = Object.values(file.networks ?? { lan: services }).flat()
  for (const service of services.filter((name) => !placed.includes(name)))
    problems.push({ path: ['networks'], message: `${service} is on no network` })
  for (const [index, link] of file.links.entries()) {
    known(link.from, ['links', index])
    known(link.to, ['links', index])
  }
  return problems
}

const lintWindows = (file: ScenarioFile): PathProblem[] => {
  const { survives_restart, stable_under_load } = file.steps
  const retries = Math.max(0, ...observedProbesOf(file).map(retrySeconds))
  const windows = survives_restart.within_seconds + stable_under_load.seconds + provocationSeconds(file) + retries + allowanceSeconds
  const tooLong = { path: ['steps'], message: `an evaluation could take ${windows} s; the limit is ${evaluationSeconds} s` }
  const tooShort = file.recurring
    .filter(({ every_seconds: every }) => stable_under_load.seconds < 2 * every)
    .map(({ what, every_seconds: every }) => ({
      path: ['steps', 'stable_under_load', 'seconds'],
      message: `${what} comes every ${every} s: a load window of ${stable_under_load.seconds} s does not see it twice`,
    }))
  return [...(windows > evaluationSeconds ? [tooLong] : []), ...tooShort]
}

const lintSecrets = ({ params }: ScenarioFile): PathProblem[] =>
  undecidedSecrets(params).map((name) => ({
    path: ['params', name],
    message: 'is called like a secret: say secret: true or secret: false',
  }))

const lintHints = ({ hints }: ScenarioFile): PathProblem[] => [
  ...(hints.length < 3 ? [{ path: ['hints'], message: 'there must be at least three hints, general ones first' }] : []),
  ...(hints.some(({ when }) => when !== undefined)
    ? []
    : [{ path: ['hints'], message: 'no hint has a when: none depends on the state of the sandbox' }]),
]

const shellAccepts = (file: string): Promise<string | null> =>
  new Promise((resolve) => {
    execFile('sh', ['-n', file], (error, _out, message) => resolve(error === null ? null : message.trim()))
  })

const filesIn = async (folder: string, parts: readonly string[]): Promise<string[]> =>
  (await Promise.all(parts.map((part) => filesBelow(join(folder, part))))).flat()

const lintScripts = async (folder: string, file: ScenarioFile): Promise<string[]> => {
  const files = await filesIn(folder, ['fault', 'checks'])
  const scripts = files.filter((path) => path.endsWith('.sh'))
  const verdicts = await Promise.all(scripts.map(shellAccepts))
  const helpers = await Promise.all(scripts.map(async (path) => helpersOf(await readFile(path, 'utf8'))))
  const used = new Set([...scriptsOf(file), ...helpers.flat()].map((path) => join(folder, path)))
  return [
    ...verdicts.filter((verdict) => verdict !== null),
    ...files.filter((path) => !used.has(path)).map((path) => `${path}:1:1 is not used`),
  ]
}

/** A parameter of ours, without spaces; templates of other programs have spaces inside the braces. */
const ownName = /\{\{([a-z][a-z0-9_.]*)\}\}/g

/** Files and scripts may use parameters, and nothing else in double braces. */
const lintNames = async (folder: string, params: Values): Promise<string[]> => {
  const files = await filesIn(folder, ['files', 'fault', 'checks'])
  const found = await Promise.all(
    files.map(async (path) => {
      const text = await readFile(path, 'utf8')
      return [...text.matchAll(ownName)]
        .filter(([, name = '']) => !Object.hasOwn(params, name))
        .map((match) => problemIn(path, text, match.index, `${match[0]} is not a parameter`))
    }),
  )
  return found.flat().map(describeProblem)
}

const lintAttempt = ({ steps, problemAt }: Attempt, services: readonly string[], params: Values): string[] =>
  [
    ...steps.flatMap((step, index) =>
      [step.in]
        .flat()
        .filter((service) => !services.includes(service))
        .map((service) => problemAt(['steps', index, 'in'], `there is no service ${service}`)),
    ),
    ...namesIn(steps, ['steps']).flatMap(({ name, path }) =>
      Object.hasOwn(params, name) ? [] : [problemAt(path, `{{${name}}} is not a parameter`)],
    ),
  ].map(describeProblem)

const lintImages = async (file: ScenarioFile): Promise<PathProblem[]> => {
  const images = (await readdir(imagesFolder)).sort()
  return Object.entries(file.services).flatMap(([name, { image }]) =>
    images.includes(image)
      ? []
      : [{ path: ['services', name, 'image'], message: `there is no image ${image}; there are ${images.join(', ')}` }],
  )
}

/** Every problem of a scenario folder, as file:line:column message; empty when it is valid. */
export const lintScenario = async (folder: string, name: string): Promise<string[]> => {
  try {
    const source = await readScenario(folder)
    const at = ({ path, message }: PathProblem): Problem => source.problemAt(path, message)
    const file = source.concrete('sample')
    const scenario = await loadScenario(folder, name)
    const solutions = await readSolutions(scenario)
    const cheats = await readCheats(scenario, solutions)
    const params = drawParams('sample', source.params)
    const lints = [lintReferences, lintWindows, lintSecrets, lintHints, lintTrust, lintRecords, lintProvocations]
    const found = [...lints.flatMap((lint) => lint(file)), ...lintGuards(scenario)]
    const problems = [...found, ...(await lintImages(file))].map(at).map(describeProblem)
    problems.push(...(await lintTexts(file, scenario, solutions, at)).map(describeProblem))
    if (!solutions.some((solution) => solution.name === 'reference')) problems.push(`${folder}/solutions: there is no reference.yaml`)
    if (cheats.length < leastCheats) problems.push(`${folder}/cheats: ${cheats.length} cheats; there must be at least ${leastCheats}`)
    for (const attempt of [...solutions, ...cheats]) problems.push(...lintAttempt(attempt, scenario.containers, params))
    return [...problems, ...(await lintNames(folder, params)), ...(await lintScripts(folder, file))]
  } catch (error) {
    if (error instanceof SourceError) return error.problems.map(describeProblem)
    return [`${folder}: ${messageOf(error)}`]
  }
}
