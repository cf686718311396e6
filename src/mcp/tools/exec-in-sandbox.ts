// Runs a command in a sandbox.

import { SandboxExecRequest, SandboxExecResponse } from '../../contract/sandbox.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Run a command in a sandbox',
  description:
    'Runs one shell command as root in a container of the sandbox and returns its output and exit code. ' +
    'Every call is a shell of its own: nothing but the file system and background processes is kept between calls. ' +
    'A non-zero exit code and a timeout are results, not errors.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rate: 'exec',
  input: SandboxExecRequest,
  output: SandboxExecResponse,
  run: async ({ access, sandboxes }, request, { caller }) => sandboxes.exec(await access.held(caller(), request.session_id), request),
})
