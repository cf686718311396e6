// Visitors: people without an account. They may start what an anonymous agent may start, and their browser finds it again by a cookie
// that opens these sandboxes and nothing else.

import type { Anonymous } from '../../accounts/caller.ts'
import { createSecret, hashSecret, isSecret } from '../../accounts/secrets.ts'
import type { Clock } from '../../clock.ts'
import type { VisitorLab, VisitorLabTicket } from '../../contract/lab-access.ts'
import type { LabAccessStore } from '../../store/lab-access.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import { unknownSandbox } from '../access.ts'
import type { SandboxOperations } from '../run/operations.ts'
import type { Starts } from '../start/starts.ts'
import { newAccess } from './lab-entry.ts'
import type { Tickets } from './tickets.ts'

export interface VisitorsDeps {
  readonly store: LabAccessStore
  readonly sandboxes: Pick<SandboxStore, 'find'>
  readonly starts: Pick<Starts, 'startAtOnce'>
  readonly discard: SandboxOperations['discard']
  readonly tickets: Tickets
  readonly clock: Clock
}

const labOf = ({ id, course_id, status, created_at, expires_at }: SandboxRow): VisitorLab => ({
  ...{ id, course_id, status, created_at, expires_at },
})

export const createVisitors = ({ store, sandboxes, starts, discard, tickets, clock }: VisitorsDeps) => {
  const rowsOf = async (cookie: string | null): Promise<SandboxRow[]> => {
    if (cookie === null || !isSecret(cookie)) return []
    const known = await store.listByVisitor(hashSecret(cookie), clock.now().toISOString())
    const rows = await Promise.all(known.map(({ sandbox_id }) => sandboxes.find(sandbox_id)))
    return rows.filter((row) => row !== null).filter(({ status }) => status !== 'terminated')
  }

  return {
    /** Answers while it is being built. The browser's cookie is another one from then on. Throws what a start throws. */
    start: async (caller: Anonymous, courseId: string, before: string | null) => {
      const row = await starts.startAtOnce(caller, courseId)
      const cookie = createSecret()
      const access = { ...newAccess(row, 'owner', clock.now()), visitor_hash: hashSecret(cookie) }
      const earlier = before !== null && isSecret(before) ? hashSecret(before) : null
      await store.insertVisitor(access, earlier).catch((error: unknown) => {
        void discard(row) // nobody could enter or stop it
        throw error
      })
      const lab: VisitorLabTicket = { ...labOf(row), ticket: tickets.sign(row.id) }
      return { row, lab, cookie }
    },

    /** Those of this browser that have not ended. */
    list: async (cookie: string | null): Promise<VisitorLab[]> => (await rowsOf(cookie)).map(labOf),

    /** A ticket for one of them. Throws not_found. */
    ticket: async (cookie: string | null, id: string): Promise<VisitorLabTicket> => {
      const row = (await rowsOf(cookie)).find((one) => one.id === id)
      if (row === undefined) throw unknownSandbox(id, 'GET /visitor/labs')
      return { ...labOf(row), ticket: tickets.sign(row.id) }
    },
  }
}

export type Visitors = ReturnType<typeof createVisitors>
