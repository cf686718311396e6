// The debrief of a course, for those who may read it: after a pass, or, with an account, after they gave up. MCP does not ask for it.

import type { Catalog } from '../catalog/catalog.ts'
import type { Clock } from '../clock.ts'
import type { GivenUp } from '../contract/evaluation.ts'
import type { EvaluationStore } from '../store/evaluations.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'

export interface DebriefsDeps {
  readonly evaluations: EvaluationStore
  readonly sandboxes: SandboxStore
  readonly catalog: Catalog
  readonly clock: Clock
}

export const createDebriefs = ({ evaluations, sandboxes, catalog, clock }: DebriefsDeps) => {
  const textFor = ({ course_id, seed }: SandboxRow): string => catalog.find(course_id).debriefFor(seed)

  /** A course that is gone has no debrief any more. */
  const offered = (row: SandboxRow): { debrief?: string } =>
    [...catalog.scenarios, ...catalog.drafts].some(({ id }) => id === row.course_id) ? { debrief: textFor(row) } : {}

  return {
    /** What belongs to an evaluation, whose reader was checked before: nothing unless it passed, or its sandbox was given up. */
    of: async (evaluationId: string): Promise<{ debrief?: string }> => {
      const evaluation = await evaluations.find(evaluationId)
      if (evaluation === null) return {}
      const row = await sandboxes.find(evaluation.sandbox_id)
      if (row === null || (evaluation.passed !== 1 && row.given_up_at === null)) return {}
      return offered(row)
    },

    /** What belongs to a sandbox, for its owner: nothing unless an evaluation of it passed, or it was given up. */
    ofSandbox: async (row: SandboxRow): Promise<{ debrief?: string }> => {
      if (row.account_id === null) return {}
      return row.given_up_at !== null || (await evaluations.hasPassed(row.id)) ? offered(row) : {}
    },

    /** For the owner of a sandbox, which may have ended. Whoever has passed has nothing to give up. Throws not_found for a course that is gone. */
    giveUp: async (row: SandboxRow): Promise<GivenUp> => {
      const debrief = textFor(row)
      if (!(await evaluations.hasPassed(row.id))) await sandboxes.giveUp(row.id, clock.now().toISOString())
      const { given_up_at } = (await sandboxes.find(row.id)) ?? row
      return { sandbox_id: row.id, course_id: row.course_id, given_up_at, debrief }
    },
  }
}

export type Debriefs = ReturnType<typeof createDebriefs>
