// Something that a button does: whether it is under way, and why it failed.

import { useState } from 'preact/hooks'
import { type Failure, failureOf } from './api.ts'

export interface Action {
  readonly isBusy: boolean
  readonly error: Failure | null
  readonly run: (work: () => Promise<unknown>) => void
}

export const useAction = (): Action => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (reason) {
      setError(failureOf(reason))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run: (work) => void run(work) }
}
