// Access to one lab without an account, on the wire: tickets, visitors and invitations.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { SandboxSession, SandboxStartRequest } from './sandbox.ts'

/** What stands before a ticket and before an invitation in the fragment of the address of a lab. */
export const fragmentKeys = { ticket: 'ticket=', invitation: 'invitation=' } as const

export const labRoles = ['owner', 'partner', 'watcher'] as const
export const LabRole = z
  .enum(labRoles)
  .describe('`owner`: everything that the session id allows. `partner`: follows and types in open terminals. `watcher`: follows only.')
export type LabRole = z.infer<typeof LabRole>

export const GuestRole = LabRole.exclude(['owner'])
  .describe('`watcher` sees terminals and steps. `partner` also types into the terminals that are open.')
  .meta({ examples: ['watcher'] })
export type GuestRole = z.infer<typeof GuestRole>

const secret = z.string().min(1).max(128)

export const LabTicketRequest = z
  .strictObject({ ticket: secret.describe('What follows `#ticket=` or `#invitation=` in the address, or `ticket` of the last answer.') })
  .meta({ id: 'LabTicketRequest' })

export const LabAccess = z
  .object({
    token: z
      .string()
      .describe('For this sandbox only: as `Authorization: Bearer`, or as `token` of a terminal. The one of an earlier answer ends.'),
    ticket: z.string().describe('Gives the next token, once: for a page that is loaded again.'),
    sandbox_id: z.string().describe('The sandbox that it opens.'),
    role: LabRole,
  })
  .meta({ id: 'LabAccess' })
export type LabAccess = z.infer<typeof LabAccess>

export const VisitorStartRequest = SandboxStartRequest.pick({ course_id: true }).meta({ id: 'VisitorStartRequest' })

export const VisitorLab = SandboxSession.pick({ id: true, course_id: true, status: true, created_at: true, expires_at: true }).meta({
  id: 'VisitorLab',
})
export type VisitorLab = z.infer<typeof VisitorLab>

export const VisitorLabTicket = VisitorLab.extend({
  ticket: z.string().describe('Opens the lab once: `POST /labs/access`.'),
}).meta({ id: 'VisitorLabTicket' })
export type VisitorLabTicket = z.infer<typeof VisitorLabTicket>

export const VisitorLabList = z
  .object({ items: z.array(VisitorLab).describe('Those of this browser that have not ended.') })
  .meta({ id: 'VisitorLabList' })

export const InvitationRequest = z.strictObject({ role: GuestRole }).meta({ id: 'InvitationRequest' })

export const Invitation = z
  .object({
    id: z.string().describe('By which it is ended.'),
    role: GuestRole,
    created_at: z.iso.datetime().describe('When it was made.'),
    guests: z.int().describe('How many of those who came by it are in the lab now.'),
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof Invitation>

export const NewInvitation = Invitation.extend({
  invitation_url: z.string().describe('Whoever opens it in a browser is let in, until it is ended. Its secret is told once.'),
}).meta({ id: 'NewInvitation' })
export type NewInvitation = z.infer<typeof NewInvitation>

export const InvitationList = z
  .object({ items: z.array(Invitation).describe('Those that have not ended, oldest first.') })
  .meta({ id: 'InvitationList' })

export const EndedInvitationList = z
  .object({ items: z.array(Invitation.pick({ id: true, role: true })).describe('Those that ended now, with everybody who came by them.') })
  .meta({ id: 'EndedInvitationList' })

export const InvitationParams = z.strictObject({
  sandboxId: lookupId.describe('`id` of the sandbox.'),
  invitationId: lookupId.describe('`id` of the invitation.'),
})
