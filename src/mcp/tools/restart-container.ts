// Restarts a container of a sandbox.

import { SandboxRestartRequest } from '../../contract/sandbox.ts'
import { AgentSession } from '../agent-session.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Restart a container',
  description:
    'Restarts one container like a power cycle: all its processes end, its files stay, and its main command runs again. ' +
    'It also starts a container whose main command has ended, in which no command can run. Waits while the sandbox is being graded.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rate: 'write',
  input: SandboxRestartRequest,
  output: AgentSession,
  run: async ({ access, sandboxes }, { session_id, container }, { caller }) =>
    sandboxes.restart(await access.held(caller, session_id), container),
})
