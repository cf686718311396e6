// Background commands in a sandbox, on the wire.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { queryNumber } from './query-number.ts'
import { SandboxExecRequest, SandboxParams } from './sandbox.ts'

/** `keptPerContainer`: a new command takes the place of the oldest that has ended. */
export const commandLimits = { keptPerContainer: 20, defaultReadBytes: 64 * 1024, maxReadBytes: 1024 * 1024 } as const

export const CommandStatus = z
  .enum(['running', 'exited', 'killed', 'lost'])
  .describe(
    '`killed`: by a call of `DELETE`. `lost`: it ended without leaving an exit code, for example because its container was restarted.',
  )
export type CommandStatus = z.infer<typeof CommandStatus>

export const SandboxCommand = z
  .object({
    command_id: z
      .string()
      .describe('By which it is read and killed.')
      .meta({ examples: ['ops.k3v9x2m4p7q1w8e5'] }),
    container: z.string().describe('Where it runs.'),
    status: CommandStatus,
    exit_code: z.int().nullable().describe('Null unless it has exited.'),
    output_bytes: z.int().describe('What it has written so far, standard output and standard error together.'),
    started_at: z.iso.datetime().describe('When it was started.'),
  })
  .meta({ id: 'SandboxCommand' })
export type SandboxCommand = z.infer<typeof SandboxCommand>

export const SandboxCommandList = z.object({ items: z.array(SandboxCommand).describe('Oldest first.') }).meta({ id: 'SandboxCommandList' })

export const SandboxCommandOutput = SandboxCommand.extend({
  output: z.string().describe('What it wrote from `offset` on, standard output and standard error together.'),
  offset: z.int().describe('Where in the output this begins, in bytes: as asked, but never beyond its end.'),
  next_offset: z
    .int()
    .describe('Where to read on, never beyond the end of the output. A character that is not complete yet is left for the next read.'),
}).meta({ id: 'SandboxCommandOutput' })
export type SandboxCommandOutput = z.infer<typeof SandboxCommandOutput>

export const SandboxCommandRequest = SandboxExecRequest.omit({ timeout_seconds: true }).meta({ id: 'SandboxCommandRequest' })
export type SandboxCommandRequest = z.infer<typeof SandboxCommandRequest>

export const SandboxCommandParams = SandboxParams.extend({ commandId: lookupId.describe('`command_id` of the start.') })

export const SandboxCommandQuery = z.strictObject({
  offset: queryNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0).describe('In bytes; `next_offset` of the read before.'),
  limit: queryNumber({ min: 4, max: commandLimits.maxReadBytes })
    .default(commandLimits.defaultReadBytes)
    .describe('How many bytes to read at most; a character takes up to 4.'),
})
export type SandboxCommandQuery = z.infer<typeof SandboxCommandQuery>
