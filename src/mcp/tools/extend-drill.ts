// Moves the end of a sandbox.

import { SandboxRequest } from '../../contract/sandbox.ts'
import { AgentSession } from '../agent-session.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Extend a drill',
  description:
    'Gives the sandbox more time and returns its new expires_at. Every call adds the same, up to the longest life of a sandbox; ' +
    'then it fails with lifetime_exhausted.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rate: 'write',
  input: SandboxRequest,
  output: AgentSession,
  run: async ({ access, sandboxes }, { session_id }, { caller }) => sandboxes.extend(await access.held(caller, session_id)),
})
