// Kills a background command.

import { SandboxCommand } from '../../contract/command.ts'
import { lookupId } from '../../contract/names.ts'
import { SandboxRequest } from '../../contract/sandbox.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Stop a background command',
  description:
    'Kills a background command and everything that it started. One that has ended stays as it is; its output can still be read.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rate: 'exec',
  input: SandboxRequest.extend({ command_id: lookupId.describe('command_id of start_command.') }),
  output: SandboxCommand,
  run: async ({ access, commands }, { session_id, command_id }, { caller }) =>
    commands.kill(await access.held(caller, session_id), command_id),
})
