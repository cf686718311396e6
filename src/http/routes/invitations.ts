// Invitations to a sandbox: made, listed and ended by its owner.

import type { FastifyRequest } from 'fastify'
import {
  EndedInvitationList,
  Invitation,
  InvitationList,
  InvitationParams,
  InvitationRequest,
  NewInvitation,
} from '../../contract/lab-access.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import { labUrl } from '../../sandboxes/session-response.ts'
import type { Routes } from '../app.ts'
import { labCallerOf } from '../authentication.ts'
import { operation } from '../operation.ts'
import { rootUrlOf } from '../root-url.ts'

export const routes: Routes = (app, { access, invitations }) => {
  const about = { tag: 'Labs in a browser', access: 'lab', errors: ['forbidden', 'not_found'] } as const
  const owned = (request: FastifyRequest & { readonly params: { readonly sandboxId: string } }) =>
    access.ownedById(labCallerOf(request), request.params.sandboxId)

  const create = operation(
    {
      ...about,
      id: 'inviteToSandbox',
      summary: 'Invite to a sandbox',
      description:
        'The link lets in whoever opens it, up to `guests_per_session` people at once, until it is ended. A watcher sees terminals and ' +
        'steps; a partner types into the terminals that the owner has open, too. Neither may grade, take hints, extend, restart or stop, ' +
        'and neither sees the session id, the debrief or anything of the account.',
      rate: 'write',
      errors: ['forbidden', 'not_found', 'sandbox_not_running', 'invitation_limit_reached'],
      recover: 'unknown',
      replayed: () =>
        new LabError('idempotency_answer_not_kept', 'the invitation was made, and its link is told once', {
          hint: 'end it, and make another one with a new key',
        }),
    },
    { params: SandboxParams, body: InvitationRequest, response: { 201: NewInvitation } },
  )
  app.post('/sandbox/:sandboxId/invitations', create, async (request, reply) => {
    const row = await owned(request)
    const { invitation, secret } = await invitations.create(row, request.body.role)
    return reply.code(201).send({ ...invitation, invitation_url: labUrl(rootUrlOf(request), row.id, 'invitation', secret) })
  })

  const list = operation(
    {
      ...about,
      id: 'listInvitations',
      summary: 'List the invitations to a sandbox',
      description: 'Those that have not ended, with who is in.',
    },
    { params: SandboxParams, response: { 200: InvitationList } },
  )
  app.get('/sandbox/:sandboxId/invitations', list, async (request) => ({ items: await invitations.list(await owned(request)) }))

  const endOne = operation(
    {
      ...about,
      id: 'endInvitation',
      summary: 'End an invitation',
      description: 'Whoever came by it is out at once, and cannot come back.',
      rate: 'write',
      recover: 'again',
    },
    { params: InvitationParams, response: { 200: Invitation.pick({ id: true, role: true }) } },
  )
  app.delete('/sandbox/:sandboxId/invitations/:invitationId', endOne, async (request) =>
    invitations.endOne(await owned(request), request.params.invitationId),
  )

  const endAll = operation(
    {
      ...about,
      id: 'endInvitations',
      summary: 'End all invitations to a sandbox',
      description: 'Every guest is out at once.',
      rate: 'write',
      recover: 'again',
    },
    { params: SandboxParams, response: { 200: EndedInvitationList } },
  )
  app.delete('/sandbox/:sandboxId/invitations', endAll, async (request) => ({ items: await invitations.endAll(await owned(request)) }))
}
