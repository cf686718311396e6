// Reads a scenario as a strict editor would: what the schema cannot say. Runs nothing of it.

import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { type Attempt, readCheats, readSolutions } from './attempt-file.ts'
import { lintTexts } from './lint-texts.ts'
import { lintTrust, looksOf } from './lint-trust.ts'
import { type LeafProbe, leavesOf, type Probe } from './probe-file.ts'
import { loadScenario, probesOf, type Scenario } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { readScenario } from './scenario-source.ts'
import { namesIn } from './template.ts'
import { type Complaint, describeProblem, type Problem, SourceError } from './yaml-source.ts'

const evaluationSeconds = 45
/** What a restart and the looks around it take at most, beside the authored windows. */
const allowanceSeconds = 10
const leastCheats = 3

const serviceOf = (leaf: LeafProbe): string | undefined => {
  const [spec] = Object.values(leaf) as { in?: string; input?: { in: string } }[]
  return spec?.in ?? spec?.input?.in
}

const retrySeconds = (probe: Probe): number => {
  if ('retry' in probe) return probe.retry.within_ms / 1000
  if ('all' in probe || 'any' in probe) return Math.max(0, ...('all' in probe ? probe.all : probe.any).map(retrySeconds))
  return 'not' in probe ? retrySeconds(probe.not) : 0
}

const lintReferences = (file: ScenarioFile): Complaint[] => {
  const services = Object.keys(file.services)
  const complaints: Complaint[] = []
  const known = (service: string | undefined, path: readonly PropertyKey[]) => {
    if (service !== undefined && !services.includes(service)) complaints.push({ path, message: `there is no service ${service}` })
  }
  for (const leaf of probesOf(file).flatMap(leavesOf)) known(serviceOf(leaf), ['steps'])
  for (const [index, step] of file.fault.entries()) {
    if ('in' in step) known(step.in, ['fault', index, 'in'])
    if (!('limit' in step)) continue
    known(step.limit.in, ['fault', index, 'limit', 'in'])
    const authored = file.services[step.limit.in]
    for (const name of ['memory', 'cpus', 'pids'] as const) {
      if (authored === undefined || (step.limit[name] ?? 0) <= authored[name]) continue
      complaints.push({
        path: ['fault', index, 'limit', name],
        message: `is more than the ${name} of ${step.limit.in}: no user could go back`,
      })
    }
  }
  for (const service of file.steps.survives_restart.restart) known(service, ['steps', 'survives_restart', 'restart'])
  for (const [index, { in: service }] of file.recurring.entries()) known(service, ['recurring', index, 'in'])
  for (const [network, members] of Object.entries(file.networks ?? {})) for (const service of members) known(service, ['networks', network])
  const placed = Object.values(file.networks ?? { lan: services }).flat()
  for (const service of services.filter((name) => !placed.includes(name)))
    complaints.push({ path: ['networks'], message: `${service} is on no network` })
  for (const [index, link] of file.links.entries()) {
    known(link.from, ['links', index])
    known(link.to, ['links', index])
  }
  return complaints
}

const lintWindows = (file: ScenarioFile): Complaint[] => {
  const { survives_restart, stable_under_load } = file.steps
  const retries = Math.max(0, ...looksOf(file).map(retrySeconds))
  const windows = survives_restart.within_seconds + stable_under_load.seconds + retries + allowanceSeconds
  const tooLong = { path: ['steps'], message: `an evaluation could take ${windows} s; ${evaluationSeconds} s is the most` }
  const tooShort = file.recurring
    .filter(({ every_seconds: every }) => stable_under_load.seconds < 2 * every)
    .map(({ what, every_seconds: every }) => ({
      path: ['steps', 'stable_under_load', 'seconds'],
      message: `${what} comes every ${every} s: a load window of ${stable_under_load.seconds} s does not see it twice`,
    }))
  return [...(windows > evaluationSeconds ? [tooLong] : []), ...tooShort]
}

const lintHints = ({ hints }: ScenarioFile): Complaint[] => [
  ...(hints.length < 3 ? [{ path: ['hints'], message: 'three hints are the least, general first' }] : []),
  ...(hints.some(({ when }) => when !== undefined) ? [] : [{ path: ['hints'], message: 'no hint has a when: none follows what was done' }]),
]

const shellAccepts = (file: string): Promise<string | null> =>
  new Promise((resolve) => {
    execFile('sh', ['-n', file], (error, _out, complaint) => resolve(error === null ? null : complaint.trim()))
  })

const lintScripts = async (folder: string): Promise<string[]> => {
  const found = await Promise.all(
    ['fault', 'checks'].map(async (part) =>
      (await readdir(join(folder, part)).catch(() => [])).filter((name) => name.endsWith('.sh')).map((name) => join(folder, part, name)),
    ),
  )
  const verdicts = await Promise.all(found.flat().map(shellAccepts))
  return verdicts.filter((verdict) => verdict !== null)
}

/** Attempts may use parameters, and nothing else in double braces. */
const strayNames = (folder: string, scenario: Scenario, attempts: readonly Attempt[]): string[] => {
  const { params } = scenario.instantiate('sample')
  return attempts.flatMap((attempt) =>
    namesIn(attempt.steps)
      .filter(({ name }) => !Object.hasOwn(params, name))
      .map(({ name }) => `${folder}: ${attempt.name}: {{${name}}} is not a parameter`),
  )
}

/** Every problem of a scenario folder, as file:line:column message; empty when it is sound. */
export const lintScenario = async (folder: string, name: string): Promise<string[]> => {
  try {
    const source = await readScenario(folder)
    const at = ({ path, message }: Complaint): Problem => source.problemAt(path, message)
    const file = source.concrete('sample')
    const scenario = await loadScenario(folder, name)
    const [solutions, cheats] = await Promise.all([readSolutions(scenario), readCheats(scenario)])
    const found = [lintReferences, lintWindows, lintHints, lintTrust].flatMap((lint) => lint(file))
    const complaints = [...found, ...lintTexts(file, scenario, solutions)].map(at).map(describeProblem)
    if (!solutions.some((solution) => solution.name === 'reference')) complaints.push(`${folder}/solutions: there is no reference.yaml`)
    if (cheats.length < leastCheats) complaints.push(`${folder}/cheats: ${cheats.length} cheats; ${leastCheats} are the least`)
    for (const { name: file, steps } of [...solutions, ...cheats]) {
      for (const step of steps)
        if (!scenario.containers.includes(step.in)) complaints.push(`${folder}: ${file}: there is no service ${step.in}`)
    }
    complaints.push(...strayNames(folder, scenario, [...solutions, ...cheats]))
    return [...complaints, ...(await lintScripts(folder))]
  } catch (error) {
    if (error instanceof SourceError) return error.problems.map(describeProblem)
    return [`${folder}: ${messageOf(error)}`]
  }
}
