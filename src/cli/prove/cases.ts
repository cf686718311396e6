// The cases of proofs: every case of a scenario N times, with different seeds; proof.json is written when all of them held.

import type { Scenario } from '../../catalog/scenario.ts'
import { stopwatch } from '../../clock.ts'
import { LabError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { ProofDeps } from '../../proofs/case-sandbox.ts'
import { type CaseResult, type ProofCase, proofCases } from '../../proofs/proof.ts'
import { type ProofContent, recordProof } from '../../proofs/proof-record.ts'
import { createSemaphore } from '../../semaphore.ts'
import type { Display } from '../lib/display.ts'
import type { KeptSandbox } from '../lib/kept-sandboxes.ts'
import { pluralize } from '../lib/pluralize.ts'
import { printTable } from '../lib/table.ts'
import { type ProveContext, type ProveOptions, whole } from './options.ts'

interface Proof {
  readonly scenario: string
  readonly name: string
  readonly runs: readonly CaseResult[]
}

const outcomeOf = ({ ok, judged, detail, seed }: CaseResult) =>
  ok ? 'ok' : `${judged ? 'FAILED' : 'NOT JUDGED'}: ${detail} (seed ${seed})`

/** A case that passes only sometimes. */
const isFlake = ({ runs }: Proof) => runs.some(({ ok }) => ok) && runs.some(({ ok, judged }) => judged && !ok)

const isJudged = ({ runs }: Proof) => runs.every(({ judged }) => judged)

/** Calls `concluded` for each scenario when its last case has ended. What was not judged is run once more when nothing else runs. */
const prove = async (
  deps: ProofDeps,
  scenarios: readonly Scenario[],
  options: ProveOptions,
  display: Display,
  concluded: (scenario: Scenario, proofs: readonly Proof[]) => Promise<void>,
): Promise<Proof[]> => {
  const limited = createSemaphore(whole('jobs', options.jobs))
  const runs = whole('runs', options.runs)
  const cases = await Promise.all(
    scenarios.map(async (scenario) => {
      const all = await proofCases(deps, scenario)
      return { scenario, names: all.map(({ name }) => name), wanted: all.filter(({ name }) => name.includes(options.only ?? '')) }
    }),
  )
  const total = runs * cases.reduce((sum, { wanted }) => sum + wanted.length, 0)
  if (total === 0 && cases.length > 0) {
    const names = [...new Set(cases.flatMap((one) => one.names))].join(', ')
    throw new LabError('invalid_request', `no case has "${options.only}" in its name; the cases are: ${names}`)
  }
  let done = 0
  const proveCase = async (scenario: string, { name, run }: ProofCase): Promise<Proof> => {
    const results = Array.from({ length: runs }, (_, index) =>
      limited(async () => {
        display.report(`${done} of ${total}: ${scenario}, ${name}`)
        const result = await run(options.seed === undefined ? createId() : `${options.seed}-${index}`)
        done += 1
        display.report(`${done} of ${total}: ${scenario}, ${name}: ${outcomeOf(result)}`)
        return result
      }),
    )
    return { scenario, name, runs: await Promise.all(results) }
  }
  const judgedAlone = async (scenario: string, { name, run }: ProofCase, before: CaseResult): Promise<CaseResult> => {
    if (before.judged) return before
    display.report(`once more, alone: ${scenario}, ${name}`)
    const result = await run(before.seed)
    display.report(`once more, alone: ${scenario}, ${name}: ${outcomeOf(result)}`)
    return result
  }
  const firsts = await Promise.all(
    cases.map(async ({ scenario, wanted }) => {
      const proofs = await Promise.all(wanted.map((one) => proveCase(scenario.id, one)))
      if (proofs.every(isJudged)) await concluded(scenario, proofs)
      return { scenario, wanted, proofs }
    }),
  )
  for (const { scenario, wanted, proofs } of firsts) {
    if (proofs.every(isJudged)) continue
    for (const [index, { name, runs }] of proofs.entries()) {
      const results: CaseResult[] = []
      for (const before of runs) results.push(await judgedAlone(scenario.id, wanted[index] as ProofCase, before))
      proofs[index] = { scenario: scenario.id, name, runs: results }
    }
    await concluded(scenario, proofs)
  }
  return firsts.flatMap(({ proofs }) => proofs)
}

const middleOf = (values: readonly number[]): number | undefined => {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

const seconds = (values: readonly number[]) => {
  const middle = middleOf(values)
  return middle === undefined ? '-' : `${(middle / 1000).toFixed(1)} s`
}

const print = (proofs: readonly Proof[]) => {
  printTable([
    ['scenario', 'case', 'held', 'score', 'start', 'grade', 'total', 'overhead', ''],
    ...proofs.map(({ scenario, name, runs }) => [
      scenario,
      name,
      `${runs.filter(({ ok }) => ok).length}/${runs.length}`,
      [...new Set(runs.map(({ score }) => score ?? '-'))].join(','),
      seconds(runs.map(({ startMs }) => startMs)),
      seconds(runs.map(({ gradeMs }) => gradeMs)),
      seconds(runs.map(({ totalMs }) => totalMs)),
      seconds(runs.map(({ overheadMs }) => overheadMs)),
      runs.filter(({ ok }) => !ok).map(outcomeOf)[0] ?? '',
    ]),
  ])
}

const keptOf = (proofs: readonly Proof[], scenarios: readonly Scenario[]): KeptSandbox[] =>
  proofs.flatMap(({ scenario, name, runs }) =>
    runs.flatMap(({ kept, seed }) => {
      const services = scenarios.find(({ id }) => id === scenario)?.containers ?? []
      return kept === undefined ? [] : [{ sandbox: kept, what: `${scenario}, ${name} (seed ${seed})`, services }]
    }),
  )

/** Writes proof.json if all cases passed. `content` was hashed before the first run. */
const record = async (scenario: Scenario, content: ProofContent, proofs: readonly Proof[], now: Date) => {
  const results = proofs.flatMap(({ runs }) => runs)
  if (results.length === 0 || results.some(({ ok }) => !ok)) return
  await recordProof(scenario, {
    ...content,
    proven_at: now.toISOString(),
    cases: proofs.length,
    runs: results.length,
    start_ms: Math.round(middleOf(results.map(({ startMs }) => startMs)) ?? 0),
    grade_ms: Math.round(middleOf(results.flatMap(({ score, gradeMs }) => (score === 100 ? [gradeMs] : []))) ?? 0),
  })
}

/** Proves scenarios, prints what came of it, and returns whether everything held. */
export const proveCases = async (
  { deps, scenarios, contents, display, describeKept }: ProveContext,
  options: ProveOptions,
): Promise<boolean> => {
  const elapsed = stopwatch()
  const proofs = await prove(deps, scenarios, options, display, async (scenario, ofScenario) => {
    const content = contents.get(scenario) as ProofContent
    if (options.only === undefined) await record(scenario, content, ofScenario, deps.clock.now())
  })
  display.done()
  const flakes = proofs.filter(isFlake).length
  const failed = proofs.filter(({ runs }) => runs.some(({ ok }) => !ok)).length
  const summary = { proven: failed === 0, cases: proofs.length, failed, flakes, seconds: Math.round(elapsed() / 1000) }
  if (options.json) console.log(JSON.stringify({ ...summary, proofs }, null, 2))
  else {
    print(proofs)
    const [held, not] = options.only === undefined ? ['Proven', 'NOT proven'] : ['Held', 'NOT held']
    const counts = `${pluralize(proofs.length, 'case')}, ${failed} failed, ${pluralize(flakes, 'flake')}, ${summary.seconds} s`
    console.log(`\n${failed === 0 ? held : not}: ${counts}.${options.only === undefined ? '' : ' Nothing is recorded with --only.'}`)
    if (proofs.some(({ runs }) => runs.some(({ judged }) => !judged)))
      console.log('What was not judged says nothing about a scenario: try again on a quieter machine.')
    for (const line of describeKept(keptOf(proofs, scenarios))) console.log(line)
  }
  return failed === 0
}
