// What a load test comes to: within the scenario's budget, beyond it, or not to be judged because the host was slow.

import { z } from 'zod'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { differs, holds, type Observation, oneLine } from '../probes/observation.ts'
import { controlBoundMs, tooSlow } from './host-speed.ts'

export const LoadAnswer = z.object({
  count: z.int(),
  errors: z.int(),
  sample: z.string().nullable(),
  p95_ms: z.number().nullable(),
  control_p95_ms: z.number().nullable(),
})
export type LoadAnswer = z.infer<typeof LoadAnswer>

/** Above this latency of the control, the host is too slow to judge even failed requests. So it is where the control was never answered. */
const standstillMs = 500

/** Throws InfrastructureError where the host's own control was too slow to blame the sandbox. */
export const judgeLoad = (answer: LoadAnswer, budget: ScenarioInstance['steps']['stable_under_load']['budget']): Observation => {
  const rate = answer.count === 0 ? 1 : answer.errors / answer.count
  const failed = `${answer.errors} failed${answer.sample === null ? '' : ` (${oneLine(answer.sample, 80)})`}`
  const seen = answer.count === 0 ? 'not one request came to its end' : `${answer.count} requests, ${failed}, p95 ${answer.p95_ms ?? 0} ms`
  const wrong = answer.count === 0 || rate > budget.error_rate
  if (!wrong && (answer.p95_ms ?? 0) <= budget.p95_ms) return holds(seen)
  if ((answer.control_p95_ms ?? Number.POSITIVE_INFINITY) > (wrong ? standstillMs : controlBoundMs)) throw tooSlow(seen)
  return differs(seen)
}
