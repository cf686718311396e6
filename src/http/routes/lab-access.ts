// Who enters a lab from a browser without an account: by a ticket or an invitation, and visitors who start one.

import type { FastifyRequest } from 'fastify'
import { LabAccess, LabTicketRequest, VisitorLabList, VisitorLabTicket, VisitorStartRequest } from '../../contract/lab-access.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'
import { count, countFailures } from '../rate-counting.ts'
import { isFromOwnPage } from '../same-origin.ts'

const visitorCookie = 'lab_visitor'

const requirePage = (request: FastifyRequest): void => {
  if (isFromOwnPage(request.raw, request.server.hosts)) return
  throw new LabError('cross_site_request', 'only a page of this service may do this', {
    hint: 'programs use POST /sandbox/start with a token, or MCP without one',
  })
}

export const routes: Routes = (app, { labEntry, visitors, limits, rateLimit, sandboxes }) => {
  const about = { tag: 'Labs in a browser', access: 'public' } as const
  const cookieOf = (request: FastifyRequest) => app.cookies.read(request, visitorCookie)
  const cookieSeconds = (limits.longestMinutes + 60) * 60

  const redeem = operation(
    {
      ...about,
      id: 'openLab',
      summary: 'Use a ticket',
      description:
        'What the page of a lab does with what it finds behind the `#` of its address: `terminal_url` of a sandbox, or the link of an ' +
        'invitation. A ticket works once; the answer holds the next. An invitation works for several people until it is ended. ' +
        'Refused ones count as wrong credentials of your network.',
      rate: 'auth',
      errors: ['sandbox_not_running'],
      recover: 'unknown',
      replayed: () =>
        new LabError('idempotency_answer_not_kept', 'the ticket was used, and what it gave is told once', { hint: 'use another ticket' }),
    },
    { body: LabTicketRequest, response: { 200: LabAccess } },
  )
  app.post(
    '/labs/access',
    { ...redeem, config: { ...redeem.config, countsFailures: true, personal: true }, onResponse: countFailures(rateLimit) },
    (request, reply) => {
      // A ticket is easily had by whoever is in a lab, and each use writes.
      count(rateLimit, reply, { kind: 'anonymous', address: request.ip }, 'write')
      return labEntry.redeem(request.body.ticket)
    },
  )

  const start = operation(
    {
      ...about,
      id: 'startAsVisitor',
      summary: 'Start without an account',
      description:
        'For the pages of this service: what an agent may start without an account, a person may, too. Answers while it is being built. ' +
        'A cookie leads the same browser back to it, and opens nothing else.',
      rate: 'start',
      errors: [
        'not_found',
        'cross_site_request',
        'course_not_startable',
        'account_required',
        'plan_required',
        'course_unavailable',
        'forbidden',
        'sandbox_limit_reached',
        'capacity_exhausted',
        'engine_unavailable',
      ],
      recover: 'unknown',
    },
    { body: VisitorStartRequest, response: { 201: VisitorLabTicket } },
  )
  app.post('/visitor/labs', start, async (request, reply) => {
    requirePage(request)
    if (request.caller !== null) throw new LabError('forbidden', 'you are signed in', { hint: 'use POST /sandbox/start' })
    const { row, lab, cookie } = await visitors.start({ kind: 'anonymous', address: request.ip }, request.body.course_id, cookieOf(request))
    // Nobody could use or stop one whose ticket was not received.
    if (reply.raw.destroyed) void sandboxes.discard(row)
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) void sandboxes.discard(row)
    })
    app.cookies.set(reply, visitorCookie, cookie, cookieSeconds)
    return reply.code(201).send(lab)
  })

  const list = operation(
    {
      ...about,
      id: 'listVisitorLabs',
      summary: "List the labs of a visitor's browser",
      description: 'By the cookie of its start. Without one the list is empty.',
    },
    { response: { 200: VisitorLabList } },
  )
  app.get('/visitor/labs', { ...list, config: { ...list.config, personal: true } }, async (request) => ({
    items: await visitors.list(cookieOf(request)),
  }))

  const ticket = operation(
    {
      ...about,
      id: 'returnToVisitorLab',
      summary: 'Come back to a lab',
      description: "For the pages of this service: a ticket for a lab of this visitor's browser.",
      rate: 'write',
      errors: ['not_found', 'cross_site_request'],
      recover: 'again',
    },
    { params: SandboxParams, response: { 200: VisitorLabTicket } },
  )
  app.post('/visitor/labs/:sandboxId/ticket', { ...ticket, config: { ...ticket.config, personal: true } }, async (request) => {
    requirePage(request)
    return visitors.ticket(cookieOf(request), request.params.sandboxId)
  })
}
