// Invitations: links by which the owner of a lab lets others watch or type, until they are ended. Ending one closes what the guests of
// this server have open at once; another server notices it within seconds, when it asks whether they may still be there.

import { createSecret, hashSecret } from '../../accounts/secrets.ts'
import { addMinutes, type Clock } from '../../clock.ts'
import type { GuestRole, Invitation } from '../../contract/lab-access.ts'
import { LabError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { InvitationStore } from '../../store/invitations.ts'
import { requireRunning } from '../../store/require-running.ts'
import type { SandboxRow } from '../../store/sandboxes.ts'
import { presenceMs } from './lab-entry.ts'

export interface InvitationsDeps {
  readonly store: InvitationStore
  readonly clock: Clock
  readonly limits: { readonly labInvitations: number }
}

export const createInvitations = ({ store, clock, limits }: InvitationsDeps) => {
  /** What to close when an invitation ends. */
  const open = new Map<string, Set<() => void>>()

  const end = async (row: SandboxRow, id: string | null): Promise<{ readonly id: string; readonly role: GuestRole }[]> => {
    const ended = await store.end(row.id, id, clock.now().toISOString())
    for (const { id } of ended) {
      for (const close of [...(open.get(id) ?? [])]) close()
      open.delete(id)
    }
    return ended.map(({ id, role }) => ({ id, role }))
  }

  return {
    /** The secret is told here and never again. Throws sandbox_not_running and invitation_limit_reached. */
    create: async (row: SandboxRow, role: GuestRole): Promise<{ readonly invitation: Invitation; readonly secret: string }> => {
      requireRunning(row)
      const secret = createSecret()
      const [id, created_at] = [createId(), clock.now().toISOString()]
      const expires_at = addMinutes(new Date(row.deadline), 1).toISOString()
      const stored = { id, role, created_at, expires_at, sandbox_id: row.id, hash: hashSecret(secret), ended_at: null }
      if (!(await store.insert(stored, limits.labInvitations))) {
        throw new LabError('invitation_limit_reached', `this sandbox has ${limits.labInvitations} invitations already`, {
          hint: 'end one first; one link may be used by several people',
          details: { limit: limits.labInvitations },
        })
      }
      return { invitation: { id, role, created_at, guests: 0 }, secret }
    },

    list: async (row: SandboxRow): Promise<Invitation[]> => {
      const seenAfter = new Date(clock.now().getTime() - presenceMs).toISOString()
      const rows = await store.list(row.id, seenAfter)
      return rows.map(({ id, role, created_at, guests }) => ({ id, role, created_at, guests }))
    },

    /** Throws not_found. */
    endOne: async (row: SandboxRow, id: string): Promise<{ readonly id: string; readonly role: GuestRole }> => {
      const [ended] = await end(row, id)
      if (ended === undefined) throw new LabError('not_found', 'there is no such invitation', { hint: 'it may have been ended already' })
      return ended
    },

    endAll: (row: SandboxRow) => end(row, null),

    /** `close` is called when the invitation ends. Returns a function that forgets it. */
    whileInvited: (invitationId: string, close: () => void): (() => void) => {
      const closers = open.get(invitationId) ?? new Set()
      open.set(invitationId, closers.add(close))
      return () => {
        closers.delete(close)
        if (closers.size === 0 && open.get(invitationId) === closers) open.delete(invitationId)
      }
    },
  }
}

export type Invitations = ReturnType<typeof createInvitations>
