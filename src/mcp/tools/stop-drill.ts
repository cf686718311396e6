// Stops a sandbox.

import { SandboxRequest } from '../../contract/sandbox.ts'
import { AgentSession } from '../agent-session.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Stop a drill',
  description: 'Removes the sandbox and everything in it. Stopping a stopped one changes nothing.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rate: 'write',
  input: SandboxRequest,
  output: AgentSession,
  run: async ({ access, sandboxes }, { session_id }, { caller }) => sandboxes.stop(await access.held(caller, session_id)),
})
