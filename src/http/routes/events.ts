// The events of a sandbox, as a stream.

import { EventStream, lastEventId, sandboxEvents } from '../../contract/event.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import { eventStreamHeaders, eventStreamType } from '../../event-stream.ts'
import type { Routes } from '../app.ts'
import { labCallerOf, labTokenOf, requireOwnPage } from '../authentication.ts'
import { createEventResponses } from '../event-stream-response.ts'
import { operation } from '../operation.ts'

const table = Object.entries(sandboxEvents).map(([name, { description }]) => `| \`${name}\` | ${description} |`)

export const routes: Routes = (app, { access, events, presences }) => {
  const openResponse = createEventResponses(app)

  const follow = operation(
    {
      id: 'followSandbox',
      tag: 'Sandboxes',
      access: 'lab',
      summary: 'Follow a sandbox',
      description: [
        'Server-sent events (`text/event-stream`): what happens to a sandbox, and each step of its evaluations as soon as it is decided.',
        '',
        '| event | when |',
        '|---|---|',
        ...table,
        '',
        'The data of each is one line of JSON. A comment comes every 15 seconds. A reader that is too slow, and one whose credential was ' +
          'revoked, is cut off. Where several servers share one store, steps are told by the server that grades; the others tell the result. ' +
          `\`Last-Event-ID: ${lastEventId}\`, which browsers send by themselves after the last event, is answered with 204: do not come back.`,
      ].join('\n'),
      errors: ['not_found', 'cross_site_request'],
    },
    { params: SandboxParams, response: {} },
    { type: eventStreamType, schema: EventStream, orNothing: 'The sandbox has ended, and you know it.' },
  )
  app.get('/sandbox/:sandboxId/events', follow, async (request, reply) => {
    requireOwnPage(request)
    const caller = labCallerOf(request)
    const row = await access.visibleById(caller, request.params.sandboxId)
    if (row.status === 'terminated' && request.headers['last-event-id'] === lastEventId) return reply.code(204).send(null)
    reply.headers(eventStreamHeaders)
    if (request.method === 'HEAD') return reply.send('')
    let leave: () => void = () => undefined
    const remove = () => {
      response.send('removed', { message: 'the owner has ended your invitation, or this lab was opened elsewhere' }, lastEventId)
      response.end()
    }
    const presence = caller.kind === 'lab' ? presences.begin(labTokenOf(request), caller, remove) : null
    const isAllowed = () => (presence === null ? app.isStillAllowed(request) : presence.look())
    const response = openResponse({ isAllowed, closed: () => leave() })
    const forget = () => presence?.end()
    leave = forget
    try {
      if ((await presence?.look()) === false) return reply.send(response.stream)
      const unfollow = await events.follow(caller, row, ({ event, data }) => {
        response.send(event, data, event === 'end' ? lastEventId : undefined)
        if (event === 'end') response.end()
      })
      leave = () => {
        forget()
        unfollow()
      }
    } catch (error) {
      forget()
      response.stream.destroy()
      throw error
    }
    if (response.stream.destroyed) leave()
    return reply.send(response.stream)
  })
}
