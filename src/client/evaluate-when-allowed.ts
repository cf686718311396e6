// An evaluation that came too soon after another one is asked for again when it may be.

import type { Evaluation } from '../contract/evaluation.ts'
import { isLabError } from '../errors.ts'

/** `waits` is told the seconds that it has to wait first; `goesOn` is called when they are over. */
export const evaluateWhenAllowed = async (
  evaluate: () => Promise<Evaluation>,
  waits: (seconds: number) => void,
  goesOn: () => void = () => undefined,
): Promise<Evaluation> => {
  try {
    return await evaluate()
  } catch (error) {
    if (!isLabError(error, 'evaluation_too_soon')) throw error
    const seconds = error.retryAfterSeconds ?? 1
    waits(seconds)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    goesOn()
    return evaluate()
  }
}
