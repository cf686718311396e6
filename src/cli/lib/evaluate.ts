// Grades a sandbox and tells of each step when it is decided. The steps come from the events of the sandbox; without these, the result
// comes all the same.

import type { Client } from '../../client/client.ts'
import { evaluateWhenAllowed } from '../../client/evaluate-when-allowed.ts'
import { systemClock } from '../../clock.ts'
import type { Evaluation } from '../../contract/evaluation.ts'
import type { GradingStep } from '../../contract/event.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'

export interface EvaluateEvents {
  /** All steps that are decided, the newest last. Empty when it begins, and when it begins once more. */
  readonly steps: (steps: readonly GradingStep[]) => void
  /** It has to wait so many seconds first. */
  readonly waits: (seconds: number) => void
}

/** How long the connection for events is waited for. */
const connectMs = 2_000

export const evaluateStepByStep = async (
  client: Client,
  { id, session_id }: Pick<SandboxSession, 'id' | 'session_id'>,
  { steps: tell, waits }: EvaluateEvents,
): Promise<Evaluation> => {
  const over = new AbortController()
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
  let steps: readonly GradingStep[] = []
  const follow = async () => {
    for await (const event of client.follow(id, { signal: over.signal })) {
      connect()
      if (event.event === 'step') steps = [...steps, event.data]
      else if (event.event === 'grading') steps = event.data.steps
      else if (event.event === 'snapshot' && event.data.grading !== null) steps = event.data.grading.steps
      else continue
      tell(steps)
    }
  }
  const following = follow().catch(() => connect())
  await Promise.race([connected, systemClock.sleep(connectMs, over.signal).catch(() => undefined)])
  try {
    return await evaluateWhenAllowed(() => client.evaluate(session_id), waits)
  } finally {
    over.abort()
    await following
  }
}
