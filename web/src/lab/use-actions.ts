// What can be done in a lab, by button and by key: each says whether it is under way, and why it failed.

import { useRef, useState } from 'preact/hooks'
import { evaluateWhenAllowed } from '../../../src/client/evaluate-when-allowed.ts'
import type { SandboxSession } from '../../../src/contract/sandbox.ts'
import { type Failure, failureOf } from '../api.ts'
import { type SeenHint, useHints } from './hints-seen.ts'
import { useLabAs } from './lab-role.ts'

export type ActionName = 'grade' | 'hint' | 'extend' | 'restart' | 'give up' | 'stop'

export interface Actions {
  readonly isRunning: (name: ActionName) => boolean
  /** Seconds that a grading has to wait first. */
  readonly waits: number | null
  readonly failure: { readonly action: ActionName; readonly error: Failure } | null
  readonly dismiss: () => void
  readonly hints: readonly SeenHint[]
  /** After a pass, or after it was given up. */
  readonly debrief: string | null
  readonly grade: () => Promise<boolean>
  readonly hint: () => Promise<boolean>
  readonly extend: () => Promise<boolean>
  readonly restart: (container: string) => Promise<boolean>
  readonly giveUp: () => Promise<boolean>
  readonly stop: () => Promise<boolean>
}

export const useActions = ({ id, session_id }: SandboxSession): Actions => {
  const { client } = useLabAs()
  const [running, setRunning] = useState<ReadonlySet<ActionName>>(new Set())
  const underWay = useRef(new Set<ActionName>())
  const [failure, setFailure] = useState<Actions['failure']>(null)
  const [waits, setWaits] = useState<number | null>(null)
  const [debrief, setDebrief] = useState<string | null>(null)
  const [hints, addHint] = useHints(id)

  /** Whether it was done. One that is under way is not begun again. */
  const run = async (name: ActionName, work: () => Promise<unknown>): Promise<boolean> => {
    if (underWay.current.has(name)) return false
    underWay.current.add(name)
    setRunning(new Set(underWay.current))
    setFailure(null)
    try {
      await work()
      return true
    } catch (error) {
      setFailure({ action: name, error: failureOf(error) })
      return false
    } finally {
      underWay.current.delete(name)
      setRunning(new Set(underWay.current))
    }
  }

  const gradeWhenAllowed = () =>
    evaluateWhenAllowed(
      () => client.evaluate(session_id),
      setWaits,
      () => setWaits(null),
    )

  return {
    isRunning: (name) => running.has(name),
    ...{ waits, failure, hints, debrief },
    dismiss: () => setFailure(null),
    grade: () => run('grade', async () => setDebrief((await gradeWhenAllowed()).debrief ?? debrief)),
    hint: () => run('hint', async () => addHint(await client.hint(session_id))),
    extend: () => run('extend', () => client.extend(session_id)),
    restart: (container) => run('restart', () => client.restart(session_id, container)),
    giveUp: () => run('give up', async () => setDebrief((await client.giveUp(session_id)).debrief)),
    stop: () => run('stop', () => client.stop(session_id)),
  }
}
