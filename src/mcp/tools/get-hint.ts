// Gives the next hint.

import { Hint } from '../../contract/evaluation.ts'
import { SandboxRequest } from '../../contract/sandbox.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'Get a hint',
  description:
    'Gives the next hint that fits the current state of the sandbox, general ones first. Each is given once; hints_left says how many ' +
    'remain, hints_left_unconditional how many of them fit any state. The error no_hint_fits: some remain, but none fits now. Later gradings tell how many were taken; the score does not change.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rate: 'write',
  input: SandboxRequest,
  output: Hint,
  run: async ({ access, hints }, { session_id }, { caller }) => hints.give(await access.held(caller, session_id)),
})
