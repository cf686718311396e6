// Lets browsers into a lab: a ticket or an invitation is exchanged for a token of that sandbox, and for the ticket that comes next.
// The token is checked like a personal access token, and gives nothing of an account.

import type { LabHolder } from '../../accounts/caller.ts'
import { type Checked, createCredentialGate } from '../../accounts/credential-gate.ts'
import { createSecret, hashSecret, isSecret } from '../../accounts/secrets.ts'
import { addMinutes, type Clock } from '../../clock.ts'
import type { LabAccess, LabRole } from '../../contract/lab-access.ts'
import { LabError } from '../../errors.ts'
import { createId } from '../../ids.ts'
import type { RateLimit } from '../../rate-limit.ts'
import type { InvitationStore } from '../../store/invitations.ts'
import type { LabAccessRow, LabAccessStore } from '../../store/lab-access.ts'
import { requireRunning } from '../../store/require-running.ts'
import type { SandboxRow, SandboxStore } from '../../store/sandboxes.ts'
import type { Tickets } from './tickets.ts'

/** A guest that was not seen for so long has left. */
export const presenceMs = 45_000
/** A guest who has not connected yet counts as in the lab for so long. */
const arrivalMs = 10_000
/** It is noted so often at most that somebody was seen, however many connections there are. */
const notedEveryMs = 10_000
/** What an access outlives its sandbox, so that its page can say that it has ended. */
const afterwardsMinutes = 60

/** How many tabs with tickets of their own a sandbox has; the one that was not seen for longest is out first. */
const mostTabs = 50

const tokenPrefix = 'ilab_lab_'

export interface LabEntryDeps {
  readonly store: LabAccessStore
  readonly invitations: InvitationStore
  readonly sandboxes: Pick<SandboxStore, 'find'>
  readonly tickets: Tickets
  /** Null where rate limits are off. */
  readonly rateLimit: RateLimit | null
  readonly clock: Clock
  readonly limits: { readonly labGuests: number; readonly ticketMinutes: number }
}

const refusedTicket = () =>
  new LabError('unauthorized', 'this ticket opens nothing: it was used before, is too old, or was ended', {
    hint: 'read the sandbox again for another terminal_url, or ask whoever invited you for another link',
  })
const refusedToken = () =>
  new LabError('unauthorized', 'the token of the lab is not valid: it was replaced or ended', {
    hint: 'open the lab again, or ask whoever invited you for another link',
  })

const holderOf = ({ id, sandbox_id, role, invitation_id, place }: LabAccessRow): LabHolder => ({
  ...{ kind: 'lab', accessId: id, sandboxId: sandbox_id, role },
  ...{ invitationId: invitation_id, place },
})

/** Whether it is meant for a lab, by its form alone. */
export const isLabToken = (token: string): boolean => token.startsWith(tokenPrefix)

export const newAccess = (sandbox: SandboxRow, role: LabRole, now: Date): LabAccessRow => ({
  ...{ id: createId(), sandbox_id: sandbox.id, role, invitation_id: null, place: null },
  ...{ first_ticket_hash: null, ticket_hash: null, token_hash: null, visitor_hash: null },
  created_at: now.toISOString(),
  last_seen_at: now.toISOString(),
  expires_at: addMinutes(new Date(sandbox.deadline), afterwardsMinutes).toISOString(),
  revoked_at: null,
})

export const createLabEntry = ({ store, invitations, sandboxes, tickets, rateLimit, clock, limits }: LabEntryDeps) => {
  const find = async (hash: string): Promise<LabHolder | null> => {
    const row = await store.findByToken(hash, clock.now().toISOString())
    return row === null ? null : holderOf(row)
  }
  const gate = createCredentialGate({ find, rateLimit, invalid: refusedToken })

  const runningSandbox = async (id: string): Promise<SandboxRow> => {
    const row = await sandboxes.find(id)
    if (row === null) throw refusedTicket()
    if (row.status !== 'starting') requireRunning(row)
    return row
  }

  /** New secrets of a tab, and what is stored of them. */
  const createKeys = () => {
    const [token, ticket] = [`${tokenPrefix}${createSecret()}`, tickets.next()]
    return { told: { token, ticket }, hashes: { token_hash: hashSecret(token), ticket_hash: hashSecret(ticket) } }
  }

  const bySignedTicket = async (ticket: string, sandboxId: string): Promise<LabAccess> => {
    const sandbox = await runningSandbox(sandboxId)
    const { told, hashes } = createKeys()
    const access = { ...newAccess(sandbox, 'owner', clock.now()), ...hashes, first_ticket_hash: hashSecret(ticket) }
    if (!(await store.insert(access))) throw refusedTicket()
    await store.keepNewest(sandbox.id, mostTabs, access.created_at)
    return { ...told, sandbox_id: sandbox.id, role: 'owner' }
  }

  const byInvitation = async (hash: string): Promise<LabAccess | null> => {
    const now = clock.now()
    const invitation = await invitations.find(hash, now.toISOString())
    if (invitation === null) return null
    const sandbox = await runningSandbox(invitation.sandbox_id)
    const { told, hashes } = createKeys()
    // As if it had been seen last some time ago: a place is kept for whoever connects.
    const last_seen_at = new Date(now.getTime() - presenceMs + arrivalMs).toISOString()
    const row = { ...newAccess(sandbox, invitation.role, now), ...hashes, invitation_id: invitation.id, last_seen_at }
    const seenAfter = new Date(now.getTime() - presenceMs).toISOString()
    const outcome = await invitations.admit(row, { most: limits.labGuests, seenAfter })
    if (outcome === 'ended') return null
    if (outcome === 'full') {
      throw new LabError('too_many_connections', `${limits.labGuests} guests are in this lab`, {
        hint: 'wait until one has left',
        details: { limit: limits.labGuests },
        retryAfterSeconds: 30,
      })
    }
    return { ...told, sandbox_id: sandbox.id, role: invitation.role }
  }

  const byNextTicket = async (hash: string): Promise<LabAccess | null> => {
    const { told, hashes } = createKeys()
    const row = await store.rotate(hash, hashes, clock.now().toISOString())
    return row === null ? null : { ...told, sandbox_id: row.sandbox_id, role: row.role }
  }

  return {
    /** Uses a ticket up, or comes by an invitation. Throws unauthorized, sandbox_not_running, too_many_connections. */
    redeem: async (ticket: string): Promise<LabAccess> => {
      const sandboxId = tickets.open(ticket)
      if (sandboxId !== null) return bySignedTicket(ticket, sandboxId)
      if (!isSecret(ticket)) throw refusedTicket()
      const hash = hashSecret(ticket)
      const access = (await byNextTicket(hash)) ?? (await byInvitation(hash))
      if (access === null) throw refusedTicket()
      return access
    },

    byToken: async (token: string, address: string): Promise<Checked<LabHolder>> =>
      isLabToken(token) && isSecret(token.slice(tokenPrefix.length)) ? gate.check(hashSecret(token), address) : gate.refuse(address),

    /** Whether it may still be there; notes that it is. */
    isStillIn: async (token: string, { accessId }: LabHolder): Promise<boolean> => {
      const now = clock.now()
      const row = await store.findByToken(hashSecret(token), now.toISOString())
      if (row?.id !== accessId) return false
      const seenBefore = new Date(now.getTime() - notedEveryMs).toISOString()
      if (row.last_seen_at < seenBefore) await store.touch(accessId, now.toISOString(), seenBefore)
      return true
    },

    purge: (): Promise<void> => {
      const now = clock.now()
      // The clocks of two servers may differ a little.
      return store.purge(now.toISOString(), addMinutes(now, -limits.ticketMinutes - 1).toISOString())
    },
  }
}

export type LabEntry = ReturnType<typeof createLabEntry>
