// `prove --mutate` and `prove --fair`: how many damages grading finds, and how many harmless changes it lets pass. What was measured whole is
// written into proof.json.

import type { Scenario } from '../../catalog/scenario.ts'
import { stopwatch } from '../../clock.ts'
import { LabError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { ChangeStep } from '../../proofs/changes/change-kind.ts'
import { type Measured, measure, type TriedChange } from '../../proofs/changes/measure.ts'
import { fairnessRecordOf, mutationRecordOf, percentOf, scoreByClass, sumOf } from '../../proofs/changes/score.ts'
import { harmlessKinds } from '../../proofs/fairness/harmless-kinds.ts'
import { damageKinds } from '../../proofs/mutations/damage-kinds.ts'
import { isDeclared, readDeclarations } from '../../proofs/mutations/mutants-file.ts'
import { type ProofContent, recordMeasure } from '../../proofs/proof-record.ts'
import { pluralize } from '../lib/pluralize.ts'
import { printTable } from '../lib/table.ts'
import { type ProveContext, type ProveOptions, whole } from './options.ts'

type Mode = 'mutate' | 'fair'

interface MeasuredScenario extends Measured {
  readonly mode: Mode
  readonly scenario: Scenario
  readonly recorded: boolean
}

const usual: Readonly<Record<Mode, string>> = { mutate: '60', fair: '15' }
/** What should not have happened: a damage with full marks, a harmless change without. */
const wrongOutcome = { mutate: 'full marks', fair: 'marked down' } as const
const wordOf = (mode: Mode, { outcome, detail }: TriedChange): string => {
  if (outcome === 'not applied' || outcome === 'not judged') return `${outcome} (${detail})`
  if (mode === 'mutate') return outcome === 'full marks' ? 'SURVIVED' : `killed by ${detail}`
  return outcome === 'full marks' ? 'passed' : `FAILED: ${detail}`
}
const wrongOf = ({ mode, tried }: MeasuredScenario) => tried.filter(({ outcome }) => outcome === wrongOutcome[mode])

const measureOne = async (
  { deps, contents, display }: ProveContext,
  scenario: Scenario,
  mode: Mode,
  options: ProveOptions,
): Promise<MeasuredScenario> => {
  const seed = options.seed ?? createId()
  const asked = options[mode]
  const count = whole(mode, typeof asked === 'string' ? asked : usual[mode])
  const declarations = mode === 'mutate' ? await readDeclarations(scenario.folder) : []
  display.report(`${scenario.id}: a repaired sandbox is looked at (seed ${seed})`)
  const measured = await measure(
    deps,
    scenario,
    mode === 'mutate' ? damageKinds : harmlessKinds,
    { seed, count, ...(options.only === undefined ? {} : { only: options.only }) },
    {
      jobs: whole('jobs', options.jobs),
      isDeclared: ({ name }) => isDeclared(declarations, name),
      report: (tried, judged, change) =>
        display.report(`${judged} of ${count}: ${scenario.id}, ${change?.name}${tried === undefined ? '' : `: ${wordOf(mode, tried)}`}`),
    },
  )
  if (measured.candidates > 0 && measured.tried.length === 0 && measured.declared.length === 0)
    throw new LabError('invalid_request', `${scenario.id}: no name of ${measured.candidates} candidates contains "${options.only}"`)
  const { scenario: folder, grading } = contents.get(scenario) as ProofContent
  const content = { scenario: folder, grading }
  const record = mode === 'mutate' ? { mutation: mutationRecordOf(measured, content) } : { fairness: fairnessRecordOf(measured, content) }
  return { mode, scenario, ...measured, recorded: options.only === undefined && (await recordMeasure(scenario, record)) }
}

const percent = (score: { mutants: number; killed: number }) => {
  const value = percentOf(score)
  return value === null ? '-' : `${value} %`
}

const printScores = (measures: readonly MeasuredScenario[]) => {
  const rows = measures.flatMap((measured) => {
    const classes = Object.entries(scoreByClass(measured))
    return [...classes, ['all', sumOf(classes.map(([, score]) => score))] as const].map(([name, score]) => {
      const { mutants, killed, declared } = score
      return [measured.scenario.id, name, String(mutants), String(killed), String(mutants - killed), String(declared), percent(score)]
    })
  })
  if (rows.length > 0) printTable([['scenario', 'class', 'damages', 'killed', 'survived', 'equivalent', 'score'], ...rows])
}

const printFairness = (measures: readonly MeasuredScenario[]) => {
  const rows = measures.map(({ scenario, tried }) => {
    const passed = tried.filter(({ outcome }) => outcome === 'full marks').length
    const failed = tried.filter(({ outcome }) => outcome === 'marked down').length
    return [scenario.id, String(passed + failed), String(passed), String(failed)]
  })
  if (rows.length > 0) printTable([['scenario', 'harmless changes', 'passed', 'failed'], ...rows])
}

const describeStep = (step: ChangeStep): string[] =>
  'restart' in step
    ? [`    restart of ${step.restart}`]
    : [
        `    in ${step.in}:`,
        ...step.run
          .trimEnd()
          .split('\n')
          .map((line) => `      ${line}`),
      ]

const printWrong = (measured: MeasuredScenario) => {
  const { mode, scenario, seed, tried } = measured
  for (const one of wrongOf(measured)) {
    console.log(`\n${scenario.id}, ${one.change.name}: ${wordOf(mode, one)}`)
    for (const line of one.change.steps.flatMap(describeStep)) console.log(line)
    console.log(`    again: ./lab prove ${scenario.id} --${mode} 1 --seed ${seed} --only '${one.change.name.replaceAll("'", "'\\''")}'`)
  }
  for (const one of tried.filter(({ outcome }) => outcome === 'not judged'))
    console.log(`\n${scenario.id}, ${one.change.name}: ${wordOf(mode, one)}`)
}

const toJson = ({ mode, scenario, recorded, seed, candidates, tried, declared }: MeasuredScenario) => ({
  ...{ scenario: scenario.id, half: mode, seed, candidates, recorded },
  tried: tried.map(({ change, outcome, detail, ms }) => ({ class: change.class, name: change.name, outcome, detail, ms: Math.round(ms) })),
  survivors: tried
    .filter(({ outcome }) => outcome === wrongOutcome[mode])
    .map(({ change }) => ({ name: change.name, steps: change.steps })),
  declared: declared.map(({ name }) => name),
})

/** Measures scenario by scenario, prints what came of it, and returns whether nothing was found that should not be. */
export const measureScenarios = async (context: ProveContext, options: ProveOptions): Promise<boolean> => {
  const elapsed = stopwatch()
  const modes = (['mutate', 'fair'] as const).filter((mode) => options[mode] !== undefined)
  const measures: MeasuredScenario[] = []
  for (const scenario of context.scenarios) for (const mode of modes) measures.push(await measureOne(context, scenario, mode, options))
  context.display.done()
  const wrong = measures.flatMap(wrongOf).length
  if (options.json) console.log(JSON.stringify({ wrong, seconds: Math.round(elapsed() / 1000), measures: measures.map(toJson) }, null, 2))
  else {
    printScores(measures.filter(({ mode }) => mode === 'mutate'))
    printFairness(measures.filter(({ mode }) => mode === 'fair'))
    for (const measured of measures) printWrong(measured)
    const tried = measures.flatMap((measured) => measured.tried)
    const not = tried.filter(({ outcome }) => outcome === 'not applied').length
    console.log(
      `\n${pluralize(tried.length - not, 'change')} tried, ${wrong} with a wrong grade, ${not} not applied, ${Math.round(elapsed() / 1000)} s.`,
    )
    const unrecorded = measures.filter(({ recorded }) => !recorded).map(({ scenario }) => scenario.id)
    if (unrecorded.length > 0)
      console.log(
        `Nothing is recorded of ${[...new Set(unrecorded)].join(', ')}: ${options.only === undefined ? 'never proven' : 'with --only'}.`,
      )
  }
  return wrong === 0
}
