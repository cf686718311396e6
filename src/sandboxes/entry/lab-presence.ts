// Whoever is in a lab by a token, while a connection lasts: out at once when this server ends the invitation, and as soon as a look at the
// store says so. Knows nothing of connections.

import type { LabHolder } from '../../accounts/caller.ts'
import type { Invitations } from './invitations.ts'
import type { LabEntry } from './lab-entry.ts'

export interface LabPresence {
  /** Whether the holder may be there, and notes that it is; if not, `removed` is called before this resolves. */
  look(): Promise<boolean>
  end(): void
}

export interface LabPresencesDeps {
  readonly labEntry: Pick<LabEntry, 'isStillIn'>
  readonly invitations: Pick<Invitations, 'whileInvited'>
}

export const createLabPresences = ({ labEntry, invitations }: LabPresencesDeps) => ({
  /**
   * Begins a connection of a holder whose token was found. The first look comes after this, before anything is shown: an invitation may
   * have ended since the token was looked up.
   */
  begin: (token: string, holder: LabHolder, removed: () => void): LabPresence => {
    const { invitationId } = holder
    return {
      look: async () => {
        if (await labEntry.isStillIn(token, holder)) return true
        removed()
        return false
      },
      end: invitationId === null ? () => undefined : invitations.whileInvited(invitationId, removed),
    }
  },
})

export type LabPresences = ReturnType<typeof createLabPresences>
