// Sends a recording as a file to keep. It is what a sandbox printed, so no browser may take it for a page.

import type { FastifyReply } from 'fastify'
import { recordingType } from '../contract/recording.ts'
import type { RecordingContent } from '../sandboxes/record/recordings.ts'

export const sendRecording = (reply: FastifyReply, { fileName, bytes, stream }: RecordingContent): FastifyReply =>
  reply
    .header('content-type', recordingType)
    .header('content-length', bytes)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-store')
    .send(stream)
