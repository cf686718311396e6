// Limits evaluations: how many a sandbox has, and the minimum time between two of them.

import type { Limits } from '../configured-limits.ts'
import { LabError } from '../errors.ts'
import type { EvaluationStore } from '../store/evaluations.ts'
import type { SandboxRow } from '../store/sandboxes.ts'

/** After this many failures of the infrastructure, a sandbox cannot be graded any more. */
const mostInfrastructureErrors = 3

export interface EvaluationBudgetDeps {
  readonly store: Pick<EvaluationStore, 'tally'>
  readonly limits: Pick<Limits, 'evaluations' | 'evaluationSpacingSeconds'>
}

export const createEvaluationBudget = ({ store, limits }: EvaluationBudgetDeps) => {
  const tooSoon = (milliseconds: number) =>
    new LabError('evaluation_too_soon', 'this sandbox was graded a moment ago, or is being graded', {
      hint: `one evaluation per ${limits.evaluationSpacingSeconds} seconds`,
      retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)),
    })

  return {
    /** The error for a second evaluation while the first is in progress. */
    underWay: () => tooSoon(limits.evaluationSpacingSeconds * 1000),

    /** Returns how many were used before; throws when none is left, or when it is too soon for the next. */
    require: async (row: SandboxRow, now: Date): Promise<number> => {
      const { count, lastStartedAt } = await store.tally(row.id)
      if (count >= limits.evaluations) {
        throw new LabError('evaluations_exhausted', `all ${limits.evaluations} evaluations of this sandbox are used`, {
          hint: 'start another sandbox',
        })
      }
      if (row.grading_errors >= mostInfrastructureErrors) {
        throw new LabError('grading_failed', 'grading this sandbox has failed too many times', { hint: 'start another sandbox' })
      }
      const waitMs = lastStartedAt === null ? 0 : Date.parse(lastStartedAt) + limits.evaluationSpacingSeconds * 1000 - now.getTime()
      if (waitMs > 0) throw tooSoon(waitMs)
      return count
    },

    left: async (sandboxId: string): Promise<number> => limits.evaluations - (await store.tally(sandboxId)).count,
  }
}

export type EvaluationBudget = ReturnType<typeof createEvaluationBudget>
