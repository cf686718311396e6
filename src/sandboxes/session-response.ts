// Builds the API representation of a sandbox for its owner. The session id is computed each time and never stored.

import type { Clock } from '../clock.ts'
import type { SandboxState } from '../contract/event.ts'
import { fragmentKeys } from '../contract/lab-access.ts'
import { pagePaths } from '../contract/page-paths.ts'
import type { SandboxSession } from '../contract/sandbox.ts'
import { secondsToRepair } from '../contract/time-to-repair.ts'
import type { EvaluationBudget } from '../grading/evaluation-budget.ts'
import type { Evaluations } from '../grading/evaluations.ts'
import type { SandboxRow } from '../store/sandboxes.ts'
import { type Access, servicesOf } from './access.ts'
import type { Tickets } from './entry/tickets.ts'

const soonMinutes = 5

const warningsOf = (row: SandboxRow, evaluationsLeft: number, now: Date): string[] => {
  if (row.status === 'terminated') return []
  const minutes = Math.ceil((Date.parse(row.expires_at) - now.getTime()) / 60_000)
  return [
    ...(minutes <= soonMinutes ? [`it ends within ${Math.max(1, minutes)} ${minutes <= 1 ? 'minute' : 'minutes'}`] : []),
    ...(evaluationsLeft === 0 ? ['all its evaluations are used'] : []),
  ]
}

/** The address of a lab's page. The secret is in the fragment, which browsers send to no server. */
export const labUrl = (rootUrl: string, id: string, kind: keyof typeof fragmentKeys, secret: string): string =>
  `${rootUrl}${pagePaths.lab.replace(':sandboxId', id)}#${fragmentKeys[kind]}${secret}`

export interface SessionResponsesDeps {
  readonly access: Access
  readonly budget: EvaluationBudget
  readonly evaluations: Pick<Evaluations, 'listOf'>
  readonly clock: Clock
  readonly tickets: Pick<Tickets, 'sign'>
  /** Where people find this server. */
  readonly rootUrl: () => string
}

export const createSessionResponses = ({ access, budget, evaluations, clock, tickets, rootUrl }: SessionResponsesDeps) => {
  /** The page of the lab, with a ticket that nobody has seen before; none where it has ended. */
  const terminalUrlOf = ({ id, status }: Pick<SandboxRow, 'id' | 'status'>): Pick<SandboxSession, 'terminal_url'> =>
    status === 'terminated' ? {} : { terminal_url: labUrl(rootUrl(), id, 'ticket', tickets.sign(id)) }

  /** Only what has passed is looked at: most sandboxes have not. */
  const secondsToRepairOf = async ({ id, status }: SandboxRow): Promise<number | null> =>
    status === 'completed' || status === 'terminated' ? secondsToRepair(await evaluations.listOf(id)) : null

  /** Without what opens it. */
  const stateOf = async (row: SandboxRow): Promise<SandboxState> => {
    const [evaluations_left, seconds_to_repair] = await Promise.all([budget.left(row.id), secondsToRepairOf(row)])
    return {
      id: row.id,
      course_id: row.course_id,
      status: row.status,
      containers: servicesOf(row),
      created_at: row.created_at,
      expires_at: row.expires_at,
      evaluations_left,
      ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
      ...(row.termination_by === null ? {} : { termination_by: row.termination_by }),
      ...(row.termination_note === null ? {} : { termination_note: row.termination_note }),
      ...(seconds_to_repair === null ? {} : { seconds_to_repair }),
      ...(row.given_up_at === null ? {} : { given_up_at: row.given_up_at }),
      warnings: warningsOf(row, evaluations_left, clock.now()),
    }
  }

  return {
    stateOf,
    terminalUrlOf,
    of: async (row: SandboxRow): Promise<SandboxSession> => ({
      session_id: access.sessionIdOf(row.id),
      ...(await stateOf(row)),
      ...terminalUrlOf(row),
    }),
  }
}

export type SessionResponses = ReturnType<typeof createSessionResponses>
