// The arithmetic of the two scores: how many damages the grader finds, and how many harmless changes it lets pass.

import type { FairnessRecord, MutationRecord, ProofContent, ProofRecord } from '../proof-record.ts'
import type { Measured } from './measure.ts'

export interface ClassScore {
  readonly mutants: number
  readonly killed: number
  readonly declared: number
}

/** Of 100; null where nothing was judged. */
export const percentOf = ({ mutants, killed }: Pick<ClassScore, 'mutants' | 'killed'>): number | null =>
  mutants === 0 ? null : Math.floor((killed / mutants) * 1000) / 10

/** By class. `mutants` are damages that were judged; `declared`, the equivalent mutants, were not tried, and count for nothing. */
export const scoreByClass = ({ tried, declared }: Measured): Record<string, ClassScore> => {
  const judged = tried.filter(({ outcome }) => outcome === 'full marks' || outcome === 'marked down')
  const names = [...new Set([...judged.map(({ change }) => change.class), ...declared.map((change) => change.class)])].sort()
  return Object.fromEntries(
    names.map((name) => {
      const own = judged.filter(({ change }) => change.class === name)
      const killed = own.filter(({ outcome }) => outcome === 'marked down').length
      return [name, { mutants: own.length, killed, declared: declared.filter((change) => change.class === name).length }]
    }),
  )
}

export const sumOf = (scores: readonly ClassScore[]): ClassScore =>
  scores.reduce<ClassScore>(
    (sum, { mutants, killed, declared }) => ({
      mutants: sum.mutants + mutants,
      killed: sum.killed + killed,
      declared: sum.declared + declared,
    }),
    { mutants: 0, killed: 0, declared: 0 },
  )

const namesWith = ({ tried }: Measured, wanted: 'full marks' | 'marked down') =>
  tried.filter(({ outcome }) => outcome === wanted).map(({ change }) => change.name)

export const mutationRecordOf = (measured: Measured, content: Pick<MutationRecord, 'grading' | 'scenario'>): MutationRecord => {
  const by_class = scoreByClass(measured)
  return { ...content, seed: measured.seed, ...sumOf(Object.values(by_class)), survivors: namesWith(measured, 'full marks'), by_class }
}

export const fairnessRecordOf = (measured: Measured, content: Pick<FairnessRecord, 'grading' | 'scenario'>): FairnessRecord => {
  const failures = namesWith(measured, 'marked down')
  const passed = namesWith(measured, 'full marks').length
  return { ...content, seed: measured.seed, changes: passed + failures.length, passed, failures }
}

const wordsOf = (percent: number | null) => (percent === null ? 'nothing judged' : `${percent} %`)

/** What was measured of a scenario, and whether something has changed since. Nothing where nothing was measured. */
export const describeMeasures = (proof: ProofRecord | null, now: ProofContent): string[] => {
  const since = ({ scenario, grading }: ProofContent) =>
    grading !== now.grading ? ', with other grading code' : scenario === now.scenario ? '' : ', before its folder or an image changed'
  const { mutation, fairness } = proof ?? {}
  return [
    ...(mutation === undefined
      ? []
      : [
          `mutation score ${wordsOf(percentOf(mutation))} (${mutation.killed} of ${mutation.mutants} killed, ${mutation.declared} equivalent)${since(mutation)}`,
        ]),
    ...(fairness === undefined ? [] : [`fairness ${fairness.passed} of ${fairness.changes}${since(fairness)}`]),
  ]
}

/** Rows for the documents: scenario, mutation score, equivalent mutants, fairness. */
export const scoreRows = (proofs: ReadonlyMap<string, ProofRecord | null>): string[][] =>
  [...proofs].map(([id, proof]) => {
    const { mutation, fairness } = proof ?? {}
    const score =
      mutation === undefined ? 'not measured yet' : `${wordsOf(percentOf(mutation))} (${mutation.killed} of ${mutation.mutants})`
    return [
      `\`${id}\``,
      score,
      String(mutation?.declared ?? ''),
      fairness === undefined ? 'not measured yet' : `${fairness.passed} of ${fairness.changes}`,
    ]
  })

/** Rows for the documents: every class, in all scenarios that were measured. */
export const classRows = (classes: ReadonlyMap<string, { readonly means: string }>, proofs: Iterable<ProofRecord | null>): string[][] => {
  const measured = [...proofs].flatMap((proof) => (proof?.mutation === undefined ? [] : [proof.mutation.by_class]))
  return [...classes].map(([name, { means }]) => {
    const { mutants, killed } = sumOf(measured.flatMap((by_class) => by_class[name] ?? []))
    return [name, means, mutants === 0 ? 'not measured yet' : `${wordsOf(percentOf({ mutants, killed }))} (${killed} of ${mutants})`]
  })
}
