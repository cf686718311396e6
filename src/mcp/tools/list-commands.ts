// Lists the background commands of a sandbox.

import { SandboxCommandList } from '../../contract/command.ts'
import { SandboxRequest } from '../../contract/sandbox.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'List background commands',
  description:
    'Lists the commands that start_command started in all containers of the sandbox, oldest first, with their command_id and status.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rate: 'exec',
  input: SandboxRequest,
  output: SandboxCommandList,
  run: async ({ access, commands }, { session_id }, { caller }) => ({
    items: await commands.list(await access.held(caller, session_id)),
  }),
})
