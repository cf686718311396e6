// Collects what is left of an attempt: the course, times, hints, evaluations, recordings, and the debrief when it is due. Who may read it
// was checked before.

import type { Catalog } from '../../catalog/catalog.ts'
import type { AttemptReport } from '../../contract/report.ts'
import { firstPassOf, secondsToRepair } from '../../contract/time-to-repair.ts'
import type { Debriefs } from '../../grading/debriefs.ts'
import type { Evaluations } from '../../grading/evaluations.ts'
import type { AccountStore } from '../../store/accounts.ts'
import { readIndexes, readNames } from '../../store/json-columns.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import type { Recordings } from '../record/recordings.ts'

export interface ReportsDeps {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly catalog: Catalog
  readonly evaluations: Evaluations
  readonly debriefs: Debriefs
  readonly recordings: Recordings
}

/** What anybody who may see the report sees. */
export type PublicReport = Omit<AttemptReport, 'debrief'>

const secondsBetween = (from: string, until: string | null): number | null =>
  until === null ? null : Math.max(0, Math.round((Date.parse(until) - Date.parse(from)) / 1000))

export const createReports = ({ accounts, catalog, evaluations, debriefs, recordings }: ReportsDeps) => {
  const courseOf = ({ course_id }: SandboxRow): AttemptReport['course'] => {
    const found = [...catalog.scenarios, ...catalog.drafts].find(({ id }) => id === course_id)
    if (found === undefined) return { id: course_id }
    const { id, title, tier, domain, duration_minutes } = found.course
    return { id, title, tier, domain, duration_minutes }
  }

  const hintsOf = (row: SandboxRow): AttemptReport['hints'] => {
    const levels = readIndexes(row.hints_given)
    const times = readNames(row.hints_given_at)
    // Those without a time were given first.
    const untimed = levels.length - times.length
    return levels.map((index, place) => ({ level: index + 1, given_at: times[place - untimed] ?? null }))
  }

  const of = async (row: SandboxRow): Promise<PublicReport> => {
    const [account, graded, recorded] = await Promise.all([
      row.account_id === null ? null : accounts.find(row.account_id),
      evaluations.listOf(row.id),
      recordings.listOf(row),
    ])
    const pass = firstPassOf(graded)
    const passed_at = pass === undefined ? null : new Date(Date.parse(pass.started_at) + pass.duration_ms).toISOString()
    return {
      sandbox_id: row.id,
      name: account?.name ?? null,
      course: courseOf(row),
      status: row.status,
      ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
      started_at: row.created_at,
      ended_at: row.ended_at,
      passed_at,
      seconds_taken: pass === undefined ? secondsBetween(row.created_at, row.ended_at) : secondsToRepair(graded),
      given_up_at: row.given_up_at,
      hints: hintsOf(row),
      evaluations: graded,
      recordings: recorded,
    }
  }

  return {
    of,

    /** The same for the owner, with the debrief when it is due. */
    ofOwn: async (row: SandboxRow): Promise<AttemptReport> => ({ ...(await of(row)), ...(await debriefs.ofSandbox(row)) }),
  }
}

export type Reports = ReturnType<typeof createReports>
