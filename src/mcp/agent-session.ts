// A sandbox as tools answer it: without what only people and their pages need, because each tool lists its shape to a language model.

import { SandboxSession } from '../contract/sandbox.ts'

export const AgentSession = SandboxSession.omit({ seconds_to_repair: true, termination_by: true })
