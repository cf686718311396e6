// Finds the sandbox that a caller may act in. A session id opens its sandbox to whoever holds it, on REST and MCP alike, unless the
// caller is another account than the sandbox's (docs/adr/0017-a-session-id-is-a-key.md). A public id opens it to its account, and to
// whoever holds a token of it (docs/adr/0022-a-lab-in-a-browser.md).

import type { Account, Caller, LabHolder } from '../accounts/caller.ts'
import { LabError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { BatchStore } from '../store/batches.ts'
import { readNames } from '../store/json-columns.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { invalidField } from '../validation-messages.ts'
import { isSessionId, type SessionIds } from './session-id.ts'

const noSandbox = (hint: string) => new LabError('not_found', 'there is no such sandbox', { hint })

/** For a session id. What looks like the id of a sandbox is told by its form alone, so that the answer says nothing of what there is. */
export const unknownSession = (sessionId = '') =>
  noSandbox(
    isId(sessionId)
      ? 'this is an id, by which a sandbox is read; send its session_id, as the start answered it'
      : 'check the session_id, or start a sandbox; an ended sandbox cannot be resumed',
  )

/** For a public id. `list` is where those that the caller may see are listed. */
export const unknownSandbox = (id: string, list: string) =>
  noSandbox(
    isSessionId(id)
      ? 'this is a session_id, which is a secret and does not belong into a path; send the id of the sandbox'
      : `check the id; ${list} lists those that have not ended`,
  )

const requireOwner = (caller: Caller | LabHolder): void => {
  if (caller.kind !== 'lab' || caller.role === 'owner') return
  throw new LabError('forbidden', `a ${caller.role} may not do this`, { hint: 'the owner of the lab can' })
}

export interface AccessDeps {
  readonly store: SandboxStore
  readonly batches: Pick<BatchStore, 'isOpen'>
  readonly sessionIds: SessionIds
}

export const createAccess = ({ store, batches, sessionIds }: AccessDeps) => {
  const bySession = async (sessionId: string): Promise<SandboxRow> => {
    const id = sessionIds.open(sessionId)
    const row = id === null ? null : await store.find(id)
    if (row === null) throw unknownSession(sessionId)
    return row
  }

  /** Nobody works in a sandbox that may still be undone with its batch, and would then have cost nothing. Throws sandbox_not_running. */
  const requireCommitted = async ({ batch_id, status }: SandboxRow): Promise<void> => {
    if (batch_id === null || status === 'terminated' || !(await batches.isOpen(batch_id))) return
    throw new LabError('sandbox_not_running', 'the sandbox belongs to an atomic batch that has not ended yet', {
      hint: 'wait for the response of the batch; if an item of it fails, the sandbox is removed',
    })
  }

  /** A public id opens a sandbox to its account, and to everybody who holds a token of it. Throws not_found, and sandbox_not_running. */
  const visibleById = async (caller: Account | LabHolder, id: string): Promise<SandboxRow> => {
    const row = await store.find(id)
    const isOpen = caller.kind === 'lab' ? row?.id === caller.sandboxId : row?.account_id === caller.accountId
    if (row === null || !isOpen) throw unknownSandbox(id, 'GET /sandbox')
    if (caller.kind === 'lab') await requireCommitted(row)
    return row
  }

  return {
    sessionIdOf: sessionIds.of,

    visibleById,

    /** The caller's own sandbox, by its public id. Throws not_found, and forbidden for a guest. */
    ownedById: async (caller: Account | LabHolder, id: string): Promise<SandboxRow> => {
      const row = await visibleById(caller, id)
      requireOwner(caller)
      return row
    },

    /** By its session id; not for another account than its own. Throws not_found, and sandbox_not_running. */
    held: async (caller: Caller | LabHolder, sessionId: string): Promise<SandboxRow> => {
      const row = await bySession(sessionId)
      if (caller.kind === 'lab') {
        if (caller.sandboxId !== row.id) throw unknownSession(sessionId)
        requireOwner(caller)
      }
      if (row.account_id !== null && caller.kind === 'account' && row.account_id !== caller.accountId) throw unknownSession(sessionId)
      await requireCommitted(row)
      return row
    },
  }
}

export type Access = ReturnType<typeof createAccess>

/** The services that users can enter; the first is the workstation. */
export const servicesOf = (row: SandboxRow): string[] => readNames(row.containers)

/** The named service, the workstation by default. Throws invalid_request. */
export const serviceIn = (row: SandboxRow, wanted: string | undefined): string => {
  const containers = servicesOf(row)
  const service = wanted ?? (containers[0] as string)
  if (containers.includes(service)) return service
  throw invalidField('container', `there is no ${service} in this sandbox`, { hint: `one of ${containers.join(', ')}` })
}
