// Starts a command in the background.

import { SandboxCommand, SandboxCommandRequest } from '../../contract/command.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Start a background command',
  description:
    'Starts a shell command as root in a container and returns at once, with a command_id. For what takes longer than exec_in_sandbox ' +
    'allows, and for output that is too long for it: read_output reads it from any byte on, while the command runs and afterwards. ' +
    'It runs until it ends or stop_command kills it. A container keeps 20; the oldest that has ended makes room.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rate: 'exec',
  input: SandboxCommandRequest,
  output: SandboxCommand,
  run: async ({ access, commands }, request, { caller }) => commands.start(await access.held(caller, request.session_id), request),
})
