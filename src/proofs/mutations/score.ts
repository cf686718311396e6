// The arithmetic of the two scores: how many damages the grader finds, and how many harmless changes it lets pass.

import type { FairnessRecord, MutationRecord } from '../proof-record.ts'
import type { Measured } from './measure.ts'

export interface ClassScore {
  readonly mutants: number
  readonly killed: number
  readonly declared: number
}

/** Of 100; null where nothing was judged. */
export const percentOf = ({ mutants, killed }: Pick<ClassScore, 'mutants' | 'killed'>): number | null =>
  mutants === 0 ? null : Math.floor((killed / mutants) * 1000) / 10

/** By class. Mutants are those that were judged; declared ones were not tried, and count for nothing. */
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
