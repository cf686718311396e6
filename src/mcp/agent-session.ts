// A sandbox as tools answer it: without what people and their pages need, because each tool lists its shape to a language model. Why a
// sandbox has ended is in the error of every tool that needs one that runs.

import { SandboxSession } from '../contract/sandbox.ts'

export const AgentSession = SandboxSession.omit({ seconds_to_repair: true, termination_by: true, termination_note: true })
