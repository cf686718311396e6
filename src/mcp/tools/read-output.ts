// Reads the output of a background command.

import { z } from 'zod'
import { commandLimits, SandboxCommandOutput } from '../../contract/command.ts'
import { lookupId } from '../../contract/names.ts'
import { SandboxRequest } from '../../contract/sandbox.ts'
import { outputLimits } from '../output-limits.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Read the output of a background command',
  description:
    `Reads what a background command has written, standard output and standard error together, from offset on: ${outputLimits.defaultBytes} ` +
    'bytes unless max_output_bytes says otherwise. Returns JSON text: command_id, status (running, exited, killed, lost), exit_code, ' +
    'output, offset, next_offset, output_bytes (what it has written so far). Read on at next_offset; where that equals output_bytes, ' +
    'nothing more was written yet. output_bytes minus a few thousand is a good offset for the end.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rate: 'exec',
  textOnly: true,
  input: SandboxRequest.extend({
    command_id: lookupId.describe('command_id of start_command.'),
    offset: z.int().min(0).default(0).describe('Where to begin, in bytes; next_offset of the read before.'),
    max_output_bytes: z
      .int()
      .min(4)
      .max(commandLimits.maxReadBytes)
      .default(outputLimits.defaultBytes)
      .describe('How many bytes to read at most; a character takes up to 4.'),
  }),
  output: SandboxCommandOutput,
  run: async ({ access, commands }, { session_id, command_id, offset, max_output_bytes }, { caller }) =>
    commands.read(await access.held(caller, session_id), command_id, { offset, limit: max_output_bytes }),
})
