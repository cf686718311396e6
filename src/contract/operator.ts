// What operators see of all sandboxes, on the wire. It holds no session ids: an operator may end a sandbox, not act in it.

import { z } from 'zod'
import { Capacity } from './capacity.ts'
import { SandboxSession, terminationNote } from './sandbox.ts'

const { id, course_id, status, created_at, expires_at, termination_reason, termination_by, termination_note } = SandboxSession.shape

export const SandboxOverview = z
  .object({
    id,
    course_id,
    status,
    account_id: z.string().nullable().describe('Null for an anonymous sandbox, and in the warm pool.'),
    account_name: z.string().nullable().describe('As its provider spelled it; null without an account.'),
    pool_state: z.enum(['warming', 'warm']).nullable().describe('Null once somebody has it.'),
    node: z.string().describe('The server that started it.'),
    created_at,
    expires_at,
    ...{ termination_reason, termination_by, termination_note },
  })
  .meta({ id: 'SandboxOverview' })
export type SandboxOverview = z.infer<typeof SandboxOverview>

export const SandboxOverviewList = z
  .object({ items: z.array(SandboxOverview).describe('Oldest first.') })
  .meta({ id: 'SandboxOverviewList' })

/** The body may be left out. */
export const EndSandboxRequest = z
  .strictObject({
    reason: terminationNote
      .optional()
      .describe('Why, in one line. Whoever is in the lab reads it, as `termination_note`.')
      .meta({ examples: ['The host is restarted at noon.'] }),
  })
  .optional()

export const CapacityDetail = z
  .object({
    capacity: Capacity.describe('What everybody sees.'),
    by_status: z.record(z.string(), z.int()).describe('Live sandboxes by status; those of the warm pool as `warming` and `warm`.'),
    by_account: z.record(z.string(), z.int()).describe('Live sandboxes by account id; anonymous ones together as `anonymous`.'),
    by_node: z.record(z.string(), z.int()).describe('Live sandboxes by server.'),
  })
  .meta({ id: 'CapacityDetail' })
export type CapacityDetail = z.infer<typeof CapacityDetail>

export const CatalogProblem = z.object({
  course_id: z.string().describe('The name of its folder, which is the `id` of the course.'),
  kind: z
    .enum(['left_out', 'draft', 'changed', 'graded_anew'])
    .describe(
      '`left_out`: its folder has an error. `draft`: it was never proven, so it is not in the catalog. `changed`: it is offered, but not what was proven. `graded_anew`: it was proven, but the code that grades has changed since.',
    ),
  text: z.string().describe('What is wrong.'),
})
export type CatalogProblem = z.infer<typeof CatalogProblem>

export const CatalogReport = z
  .object({
    offered: z.int().describe('How many courses the catalog has.'),
    problems: z.array(CatalogProblem).describe('What was found when this server read the catalog.'),
    read_at: z.iso.datetime().describe('When that was: when the server started.'),
  })
  .meta({ id: 'CatalogReport' })
export type CatalogReport = z.infer<typeof CatalogReport>
