// Builds the API representation of a sandbox for its owner. The session id is computed each time and never stored.

import type { Clock } from '../clock.ts'
import type { SandboxSession } from '../contract/sandbox.ts'
import type { EvaluationBudget } from '../grading/evaluation-budget.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import { type Access, servicesOf } from './access.ts'

const soonMinutes = 5

const warningsOf = (row: SandboxRow, evaluationsLeft: number, now: Date): string[] => {
  if (row.status === 'terminated') return []
  const minutes = Math.ceil((Date.parse(row.expires_at) - now.getTime()) / 60_000)
  return [
    ...(minutes <= soonMinutes ? [`it ends within ${Math.max(1, minutes)} ${minutes <= 1 ? 'minute' : 'minutes'}`] : []),
    ...(evaluationsLeft === 0 ? ['all its evaluations are used'] : []),
  ]
}

export interface SessionResponsesDeps {
  readonly access: Access
  readonly budget: EvaluationBudget
  readonly clock: Clock
}

export const createSessionResponses = ({ access, budget, clock }: SessionResponsesDeps) => ({
  of: async (row: SandboxRow): Promise<SandboxSession> => {
    const evaluations_left = await budget.left(row.id)
    return {
      session_id: access.sessionIdOf(row.id),
      id: row.id,
      course_id: row.course_id,
      status: row.status,
      containers: servicesOf(row),
      created_at: row.created_at,
      expires_at: row.expires_at,
      evaluations_left,
      ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
      ...(row.given_up_at === null ? {} : { given_up_at: row.given_up_at }),
      warnings: warningsOf(row, evaluations_left, clock.now()),
    }
  },
})

export type SessionResponses = ReturnType<typeof createSessionResponses>
