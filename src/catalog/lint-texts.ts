// Lints public texts: they must not give away the incident by its id, its cause, a file that the repair changes, or a line of it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesBelow } from '../files-below.ts'
import type { Attempt } from './attempt-file.ts'
import type { Scenario } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { PathProblem } from './schema-problems.ts'
import { type Problem, problemIn } from './yaml-source.ts'

const namesCause = /\b(because|due to|caused by|root cause|the reason is|misconfigured|wrongly configured)\b/i
const namesRepair =
  /\b(to fix|the fix|to repair (it|this),|should be (set|changed|raised|lowered|removed|added)|(has|have|needs?) to be (set|changed|raised|lowered|removed|added))\b/i
const leastLine = 16
const filePath = /\/[\w.-]+(?:\/[\w.-]+)+/g

/** Guessed from its name. A text may name a folder, but not the file that is changed. */
const isFile = (path: string) => path.slice(path.lastIndexOf('/')).includes('.')

const pathsIn = (text: string): Set<string> => new Set(text.match(filePath) ?? [])
const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= leastLine && !line.startsWith('#'))

/** Names of settings and columns. One that only the fault and its repair use gives them away. */
const settingName = /\b[a-z]{2,}(?:_[a-z0-9]+)+\b/g
const settingsIn = (text: string): Set<string> => new Set(text.match(settingName) ?? [])

interface PublicText {
  readonly where: string
  readonly text: string
  readonly problem: (found: string, message: string) => Problem
}

const publicTexts = (file: ScenarioFile, { folder, detail }: Scenario, at: (problem: PathProblem) => Problem): PublicText[] => {
  const fields: [PropertyKey[], string][] = [
    ...(['title', 'description', 'symptom', 'impact'] as const).map((key): [PropertyKey[], string] => [[key], file[key]]),
    ...Object.entries(file.services).map(([name, { role }]): [PropertyKey[], string] => [['services', name, 'role'], role]),
    ...file.learning_objectives.map((text, index): [PropertyKey[], string] => [['learning_objectives', index], text]),
  ]
  const brief = join(folder, 'brief.md')
  return [
    ...fields.map(([path, text]) => ({ where: path.join('.'), text, problem: (_: string, message: string) => at({ path, message }) })),
    {
      where: 'brief.md',
      text: detail.brief,
      problem: (found, message) => problemIn(brief, detail.brief, Math.max(0, detail.brief.indexOf(found)), message),
    },
  ]
}

/** The machines in the table of a brief. */
const machinesIn = (brief: string): string[] =>
  [...brief.matchAll(/^\|\s*machine\b.*\n\|[-| :]+\n((?:\|.*\n?)+)/gim)].flatMap(([, rows = '']) =>
    [...rows.matchAll(/^\|\s*`([a-z0-9-]+)`\s*\|/gm)].map(([, name = '']) => name),
  )

const textsBelow = async (folder: string): Promise<string> =>
  (await Promise.all((await filesBelow(folder)).map((path) => readFile(path, 'utf8')))).join('\n')

export const lintTexts = async (
  file: ScenarioFile,
  scenario: Scenario,
  solutions: readonly Attempt[],
  at: (problem: PathProblem) => Problem,
): Promise<Problem[]> => {
  const { fault } = scenario.instantiate('sample')
  const faults = fault.flatMap((step) => ('script' in step ? [step.script] : [])).join('\n')
  const repairs = solutions.flatMap(({ steps }) => steps.map(({ run }) => run)).join('\n')
  const touched = [...pathsIn(faults)].filter((path) => isFile(path) && pathsIn(repairs).has(path))
  const lines = linesIn(`${faults}\n${repairs}`)
  const ordinary = settingsIn(await textsBelow(join(scenario.folder, 'files')))
  const telling = [...settingsIn(`${faults}\n${repairs}`)].filter((name) => !ordinary.has(name))
  const strangers = machinesIn(scenario.detail.brief).filter((name) => file.services[name] === undefined)
  return publicTexts(file, scenario, at).flatMap(({ where, text, problem }) => {
    const say = (found: string, message: string): Problem => problem(found, `${where}: ${message}`)
    const words = [text.match(namesCause)?.[0], text.match(namesRepair)?.[0]].filter((word) => word !== undefined)
    return [
      ...(text.includes(file.id) ? [say(file.id, 'contains the id of the scenario')] : []),
      ...words.map((word) => say(word, `"${word}" gives away a cause or a repair; describe the symptom`)),
      ...touched.filter((path) => pathsIn(text).has(path)).map((path) => say(path, `names ${path}, which the fault and its repair change`)),
      ...lines.filter((line) => text.includes(line)).map((line) => say(line, `contains a line of the fault or of a solution: ${line}`)),
      ...telling
        .filter((name) => settingsIn(text).has(name))
        .map((name) => say(name, `names ${name}, which only the fault and its repair do`)),
      ...(where === 'brief.md' ? strangers.map((name) => say(`\`${name}\``, `names a machine ${name} that does not exist`)) : []),
    ]
  })
}
