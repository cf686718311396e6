// What the history is made of: evaluations as attempts, and how far somebody is by domain and tier. Pure.

import { type Course, Tier } from '../../../src/contract/course.ts'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { secondsToRepair } from '../../../src/contract/time-to-repair.ts'

/** One sandbox, with the best of its evaluations. */
export interface Attempt {
  readonly sandboxId: string
  readonly courseId: string
  /** The evaluation that passed first, else the one with the most points. */
  readonly best: EvaluationRecord
  readonly evaluations: number
  readonly hints: number
  readonly isAssisted: boolean
  /** As its report has it; null where nothing passed. */
  readonly secondsToRepair: number | null
  /** When it was graded last. */
  readonly lastAt: string
}

const isBetter = (one: EvaluationRecord, other: EvaluationRecord): boolean => {
  if (one.passed !== other.passed) return one.passed
  if (one.score !== other.score) return one.score > other.score
  return one.started_at < other.started_at
}

const attemptOf = (evaluations: readonly EvaluationRecord[]): Attempt => {
  const best = evaluations.reduce((kept, next) => (isBetter(next, kept) ? next : kept))
  return {
    sandboxId: best.sandbox_id,
    courseId: best.course_id,
    best,
    evaluations: evaluations.length,
    hints: Math.max(...evaluations.map(({ hints_used }) => hints_used)),
    isAssisted: best.assisted,
    secondsToRepair: secondsToRepair(evaluations),
    lastAt: evaluations.map(({ started_at }) => started_at).reduce((kept, next) => (next > kept ? next : kept)),
  }
}

/** The latest first. */
export const attemptsOf = (evaluations: readonly EvaluationRecord[]): Attempt[] =>
  [...Map.groupBy(evaluations, ({ sandbox_id }) => sandbox_id).values()]
    .map(attemptOf)
    .toSorted((one, other) => (one.lastAt > other.lastAt ? -1 : 1))

export interface DomainProgress {
  readonly domain: string
  /** Each course of the domain, easiest first. */
  readonly courses: readonly { readonly id: string; readonly title: string; readonly tier: Course['tier']; readonly isSolved: boolean }[]
  readonly solved: number
}

const tiers: readonly string[] = Tier.options

export const progressOf = (courses: readonly Course[], evaluations: readonly EvaluationRecord[]): DomainProgress[] => {
  const solved = new Set(evaluations.flatMap(({ passed, course_id }) => (passed ? [course_id] : [])))
  const byDomain = [...Map.groupBy(courses, ({ domain }) => domain)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return byDomain.map(([domain, own]) => {
    const shown = own
      .toSorted((one, other) => tiers.indexOf(one.tier) - tiers.indexOf(other.tier))
      .map(({ id, title, tier }) => ({ id, title, tier, isSolved: solved.has(id) }))
    return { domain, courses: shown, solved: shown.filter(({ isSolved }) => isSolved).length }
  })
}
