// Finds the sandbox that a caller may act in. A session id opens its sandbox to whoever holds it, on REST and MCP alike, unless the
// caller is another account than the sandbox's (docs/adr/0017-a-session-id-is-a-key.md). A public id opens it to its account only.

import type { Account, Caller } from '../accounts/caller.ts'
import { LabError } from '../errors.ts'
import { readNames } from '../store/json-columns.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { invalidField } from '../validation-messages.ts'
import type { SessionIds } from './session-id.ts'

export const unknownSandbox = () =>
  new LabError('not_found', 'there is no such sandbox', {
    hint: 'check the session_id, or start a sandbox; an ended sandbox cannot be resumed',
  })

export const createAccess = ({ store, sessionIds }: { readonly store: SandboxStore; readonly sessionIds: SessionIds }) => {
  const bySession = async (sessionId: string): Promise<SandboxRow> => {
    const id = sessionIds.open(sessionId)
    const row = id === null ? null : await store.find(id)
    if (row === null) throw unknownSandbox()
    return row
  }

  return {
    sessionIdOf: sessionIds.of,

    /** The caller's own sandbox, by its public id. Throws not_found. */
    ownedById: async (caller: Account, id: string): Promise<SandboxRow> => {
      const row = await store.find(id)
      if (row === null || row.account_id !== caller.accountId) throw unknownSandbox()
      return row
    },

    /** By its session id; not for another account than its own. Throws not_found. */
    held: async (caller: Caller, sessionId: string): Promise<SandboxRow> => {
      const row = await bySession(sessionId)
      if (row.account_id !== null && caller.kind === 'account' && row.account_id !== caller.accountId) throw unknownSandbox()
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
