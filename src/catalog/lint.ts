// Reads a scenario as a strict editor would: what the schema cannot say. Runs nothing of it.

import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors.ts'
import { readCheats, readSolutions } from './attempt-file.ts'
import { type LeafProbe, leavesOf, type Probe } from './probe-file.ts'
import { loadScenario, probesOf } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'
import { readScenario } from './scenario-source.ts'
import { describeProblem, type Problem, SourceError } from './yaml-source.ts'

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

type Complaint = { readonly path: readonly PropertyKey[]; readonly message: string }

const lintFile = (file: ScenarioFile): Complaint[] => {
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
  for (const [index, link] of file.links.entries()) {
    known(link.from, ['links', index])
    known(link.to, ['links', index])
  }
  const { survives_restart, stable_under_load } = file.steps
  const looks = [
    ...file.steps.service_recovered,
    ...file.steps.root_cause_removed,
    ...file.steps.data_preserved,
    ...file.steps.safeguards_kept,
  ]
  const windows = survives_restart.within_seconds + stable_under_load.seconds + Math.max(0, ...looks.map(retrySeconds)) + allowanceSeconds
  if (windows > evaluationSeconds)
    complaints.push({ path: ['steps'], message: `an evaluation could take ${windows} s; ${evaluationSeconds} s is the most` })
  if (Object.values(file.services).every((service) => service.must_run.length === 0)) {
    complaints.push({ path: ['services'], message: 'no service has must_run: a stub would pass for the patient' })
  }
  if (Object.keys(file.baseline).length === 0)
    complaints.push({ path: ['baseline'], message: 'there is no baseline: lost data would not be seen' })
  if (file.hints.length < 3) complaints.push({ path: ['hints'], message: 'three hints are the least, general first' })
  const trusting = looks.flatMap(leavesOf).some((leaf) => 'exec' in leaf)
  if (trusting)
    complaints.push({ path: ['steps'], message: 'a step trusts a program of the sandbox (exec): use file, process, listener or script' })
  for (const word of [file.title, file.description, file.symptom]) {
    if (word.includes(file.id)) complaints.push({ path: ['description'], message: 'a public text holds the id' })
  }
  return complaints
}

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

/** Every problem of a scenario folder, as file:line:column message; empty when it is sound. */
export const lintScenario = async (folder: string, name: string): Promise<string[]> => {
  try {
    const source = await readScenario(folder)
    const at = ({ path, message }: Complaint): Problem => source.problemAt(path, message)
    const complaints = lintFile(source.concrete('sample')).map(at).map(describeProblem)
    const scenario = await loadScenario(folder, name)
    const [solutions, cheats] = await Promise.all([readSolutions(scenario), readCheats(scenario)])
    if (!solutions.some((solution) => solution.name === 'reference')) complaints.push(`${folder}/solutions: there is no reference.yaml`)
    if (cheats.length < leastCheats) complaints.push(`${folder}/cheats: ${cheats.length} cheats; ${leastCheats} are the least`)
    for (const { name: file, steps } of [...solutions, ...cheats]) {
      for (const step of steps)
        if (!scenario.containers.includes(step.in)) complaints.push(`${folder}: ${file}: there is no service ${step.in}`)
    }
    return [...complaints, ...(await lintScripts(folder))]
  } catch (error) {
    if (error instanceof SourceError) return error.problems.map(describeProblem)
    return [`${folder}: ${messageOf(error)}`]
  }
}
