// Recordings of a sandbox.

import { RecordingContent, RecordingList, RecordingParams, recordingType } from '../../contract/recording.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'
import { sendRecording } from '../recording-response.ts'

export const routes: Routes = (app, { recordings }) => {
  const about = { tag: 'Recordings', access: 'account', errors: ['not_found'] } as const

  const list = operation(
    {
      ...about,
      id: 'listRecordings',
      summary: 'List the recordings of a sandbox',
      description: 'By the public id of the sandbox, for some days after it has ended too.',
    },
    { params: SandboxParams, response: { 200: RecordingList } },
  )
  app.get('/sandbox/:sandboxId/recordings', list, async (request) => ({
    items: await recordings.list(callerOf(request), request.params.sandboxId),
  }))

  const read = operation(
    {
      ...about,
      id: 'readRecording',
      summary: 'Download a recording',
      description: 'asciicast v2, for asciinema and its players. A recording in progress can be downloaded too.',
    },
    { params: RecordingParams, response: {} },
    { type: recordingType, schema: RecordingContent },
  )
  app.get('/sandbox/:sandboxId/recordings/:recordingId', read, async (request, reply) => {
    const { sandboxId, recordingId } = request.params
    return sendRecording(reply, await recordings.read(callerOf(request), sandboxId, recordingId))
  })
}
