// What is told to everybody must not give the incident away: its id, its cause, the file that the repair changes, a line of it.

import type { Attempt } from './attempt-file.ts'
import type { Scenario } from './scenario.ts'
import type { ScenarioFile } from './scenario-file.ts'
import type { Complaint } from './yaml-source.ts'

const namesCause = /\b(because|due to|caused by|root cause|the reason is|misconfigured|wrongly configured)\b/i
const namesRepair =
  /\b(to fix|the fix|to repair (it|this),|should be (set|changed|raised|lowered|removed|added)|(has|have|needs?) to be (set|changed|raised|lowered|removed|added))\b/i
const leastLine = 16
const filePath = /\/[\w.-]+(?:\/[\w.-]+)+/g

/** By its name. Where things are kept is no secret; which of them it is, is. */
const isFile = (path: string) => path.slice(path.lastIndexOf('/')).includes('.')

const pathsIn = (text: string): Set<string> => new Set(text.match(filePath) ?? [])
const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= leastLine && !line.startsWith('#'))

/** By where they stand in the file; the brief has a file of its own, and is reported at the top. */
const publicTexts = (file: ScenarioFile, brief: string): [readonly PropertyKey[], string][] => [
  ...(['title', 'description', 'symptom', 'impact'] as const).map((key): [PropertyKey[], string] => [[key], file[key]]),
  ...Object.entries(file.services).map(([name, { role }]): [PropertyKey[], string] => [['services', name, 'role'], role]),
  ...file.learning_objectives.map((text, index): [PropertyKey[], string] => [['learning_objectives', index], text]),
  [[], brief],
]

export const lintTexts = (file: ScenarioFile, scenario: Scenario, solutions: readonly Attempt[]): Complaint[] => {
  const { fault } = scenario.instantiate('sample')
  const faults = fault.flatMap((step) => ('script' in step ? [step.script] : [])).join('\n')
  const repairs = solutions.flatMap(({ steps }) => steps.map(({ run }) => run)).join('\n')
  const touched = [...pathsIn(faults)].filter((path) => isFile(path) && pathsIn(repairs).has(path))
  const lines = linesIn(`${faults}\n${repairs}`)
  return publicTexts(file, scenario.detail.brief).flatMap(([path, text]) => {
    const where = path.length === 0 ? 'brief.md' : path.join('.')
    const say = (message: string): Complaint => ({ path, message: `${where}: ${message}` })
    const words = [text.match(namesCause)?.[0], text.match(namesRepair)?.[0]].filter((word) => word !== undefined)
    return [
      ...(text.includes(file.id) ? [say('holds the id')] : []),
      ...words.map((word) => say(`"${word}" tells a cause or a repair; tell the symptom`)),
      ...touched.filter((file) => pathsIn(text).has(file)).map((file) => say(`names ${file}, which the fault and its repair change`)),
      ...lines.filter((line) => text.includes(line)).map((line) => say(`holds a line of the fault or of a solution: ${line}`)),
    ]
  })
}
