// What the reader has solved: the best evaluation of each course that passed.

import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { isSignedIn } from '../account.ts'
import { client, readAll } from '../api.ts'
import { useRequest } from '../use-request.ts'

export type Solved = ReadonlyMap<string, EvaluationRecord>

/** The first pass counts: it is when the course was solved. */
export const firstPasses = (evaluations: readonly EvaluationRecord[]): Solved => {
  const passed = evaluations.filter((evaluation) => evaluation.passed)
  const oldestFirst = passed.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))
  const found = new Map<string, EvaluationRecord>()
  for (const evaluation of oldestFirst) if (!found.has(evaluation.course_id)) found.set(evaluation.course_id, evaluation)
  return found
}

const none: Solved = new Map()

/** Undefined while it is being read, which does not wait for the account: the app is loaded anew for another one. */
export const useSolved = (): Solved | undefined => {
  const { value, isPending } = useRequest(isSignedIn() ? 'solved' : null, async () =>
    firstPasses(await readAll((query) => client.evaluations(query))),
  )
  return isPending ? undefined : (value ?? none)
}
