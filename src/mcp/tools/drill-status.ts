// Tells how a drill stands, and gives an account the session ids of its drills back.

import { z } from 'zod'
import type { Account, Caller } from '../../accounts/caller.ts'
import { SandboxRequest, type SandboxSession } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import { AgentSession } from '../agent-session.ts'
import { defineTool } from '../tool.ts'

const requireAccount = (caller: Caller): Account => {
  if (caller.kind === 'account') return caller
  throw new LabError('account_required', 'a session_id is needed: one of an anonymous drill that was lost cannot be recovered', {
    hint:
      'pass the session_id, or the personal access token of the account that the drill was started for; ' +
      'an anonymous drill without its session_id ends by itself, and start_drill then starts another',
  })
}

export const tool = defineTool({
  title: 'Look at a drill',
  description:
    'Tells the state of a drill: status, seconds left, containers, evaluations left. Without a session_id it lists the drills of your ' +
    'account that have not ended, each with its session_id: so you find a lost one again. That needs a personal access token. ' +
    'The lost session_id of an anonymous drill cannot be recovered.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rate: 'read',
  input: SandboxRequest.partial(),
  output: z.object({
    drills: z.array(AgentSession.extend({ seconds_left: z.int().describe('Until it ends by itself; 0 when it has ended.') })),
  }),
  run: async ({ access, clock, sandboxes }, { session_id }, { caller: who }) => {
    const sessions =
      session_id === undefined ? await sandboxes.list(requireAccount(who)) : [await sandboxes.show(await access.held(who, session_id))]
    const secondsLeft = ({ status, expires_at }: SandboxSession) =>
      status === 'terminated' ? 0 : Math.max(0, Math.floor((Date.parse(expires_at) - clock.now().getTime()) / 1000))
    return { drills: sessions.map((session) => ({ ...session, seconds_left: secondsLeft(session) })) }
  },
})
