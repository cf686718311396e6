// Recordings of what happened in a sandbox, on the wire.

import { z } from 'zod'
import { SandboxParams } from './sandbox.ts'

export const recordingType = 'application/x-asciicast'

export const Recording = z
  .object({
    recording_id: z.string().describe('By which it is downloaded.'),
    kind: z.enum(['terminal', 'exec']).describe('One terminal, or all commands of the sandbox.'),
    container: z.string().nullable().describe('Null for commands: they may run in any.'),
    started_at: z.iso.datetime().describe('When it began.'),
    duration_seconds: z.number().describe('From the first event to the last.'),
    bytes: z.int().describe('The size of the file.'),
    truncated: z.boolean().describe('True when more happened than is recorded.'),
  })
  .meta({ id: 'Recording' })
export type Recording = z.infer<typeof Recording>

export const RecordingList = z
  .object({ items: z.array(Recording).describe('One for each terminal, and one for all commands.') })
  .meta({ id: 'RecordingList' })

export const RecordingParams = SandboxParams.extend({
  recordingId: z
    .string()
    .regex(/^[0-9a-z]{16}$/, 'must be a recording_id')
    .describe('`recording_id` of the list.'),
})

export const RecordingContent = z.string().describe('asciicast v2: a header, then one event a line.')
