// What is left of an attempt, for its owner and for whoever has the link. The secret of a link comes in the body, so that no address holds it.

import type { FastifyReply } from 'fastify'
import { pagePaths } from '../../contract/page-paths.ts'
import { RecordingContent, recordingType } from '../../contract/recording.ts'
import { AttemptReport, Share, ShareCreated, SharedRecordingParams, SharedRequest } from '../../contract/report.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'
import { sendRecording } from '../recording-response.ts'
import { rootUrlOf } from '../root-url.ts'

/** The link was in the first response, and is kept nowhere. */
const alreadyTold = () =>
  new LabError('idempotency_answer_not_kept', 'the link was in the answer to an earlier request, and is kept nowhere', {
    hint: 'ask again with a new key: the answer is a new link, and the earlier one ends',
  })

export const routes: Routes = (app, { access, recordings, reports, shares }) => {
  const about = { tag: 'Reports', access: 'account', errors: ['not_found'] } as const

  const read = operation(
    {
      ...about,
      id: 'readReport',
      summary: 'Read the report of an attempt',
      description:
        'Times, hints, evaluations with what each step saw, recordings, and the debrief once it is due. By the public id of the sandbox, ' +
        'also after it has ended.',
    },
    { params: SandboxParams, response: { 200: AttemptReport } },
  )
  app.get('/sandbox/:sandboxId/report', read, async (request, reply) => {
    const row = await access.ownedById(callerOf(request), request.params.sandboxId)
    reply.header('cache-control', 'private, no-store')
    return reports.ofOwn(row)
  })

  const readShare = operation(
    { ...about, id: 'readShare', summary: 'Read whether a report is shared', description: 'The link itself was told when it was made.' },
    { params: SandboxParams, response: { 200: Share } },
  )
  app.get('/sandbox/:sandboxId/share', readShare, (request) => shares.read(callerOf(request), request.params.sandboxId))

  const switchOn = operation(
    {
      ...about,
      id: 'shareReport',
      summary: 'Share a report by a link',
      description:
        'Whoever has the link reads the report and the recordings, without the debrief, and can do nothing else. The link is in this response only; ' +
        'asking again makes a new one, and the earlier one ends.',
      rate: 'write',
      recover: 'again',
      replayed: alreadyTold,
    },
    { params: SandboxParams, response: { 201: ShareCreated } },
  )
  app.post('/sandbox/:sandboxId/share', switchOn, async (request, reply) => {
    const { secret, ...share } = await shares.switchOn(callerOf(request), request.params.sandboxId)
    return reply.code(201).send({ ...share, share_url: `${rootUrlOf(request)}${pagePaths.sharedReport}#${secret}` })
  })

  const switchOff = operation(
    {
      ...about,
      id: 'stopSharing',
      summary: 'Stop sharing a report',
      description: 'The link shows nothing from now on. Without a link it changes nothing.',
      rate: 'write',
      recover: 'again',
    },
    { params: SandboxParams, response: { 200: Share } },
  )
  app.delete('/sandbox/:sandboxId/share', switchOff, (request) => shares.switchOff(callerOf(request), request.params.sandboxId))

  const byLink = {
    tag: 'Reports',
    access: 'public',
    errors: ['not_found', 'cross_site_request', 'payload_too_large', 'unsupported_media_type'],
  } as const
  const unkept = (reply: FastifyReply) => reply.header('cache-control', 'private, no-store')

  const readShared = operation(
    { ...byLink, id: 'readSharedReport', summary: 'Read a shared report', description: 'By the secret of its link. It only reads.' },
    { body: SharedRequest, response: { 200: AttemptReport } },
  )
  app.post('/shared/report', readShared, async (request, reply) => {
    unkept(reply)
    return reports.of(await shares.open(request.body.share_secret))
  })

  const readSharedRecording = operation(
    {
      ...byLink,
      id: 'readSharedRecording',
      summary: 'Download a recording of a shared report',
      description: 'asciicast v2, by the secret of the link. Only recordings of the sandbox that it shows.',
    },
    { params: SharedRecordingParams, body: SharedRequest, response: {} },
    { type: recordingType, schema: RecordingContent },
  )
  app.post('/shared/recordings/:recordingId', readSharedRecording, async (request, reply) => {
    const row = await shares.open(request.body.share_secret)
    return sendRecording(reply, await recordings.readOf(row, request.params.recordingId))
  })
}
