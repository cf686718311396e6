// Reads something from the API for a component: loading, ready or failed, and read again on demand, or every few seconds and
// when the page is looked at again. What was read before is shown at once, and stays when a later read fails.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, failureOf } from './api.ts'

export interface Reading<Value> {
  readonly value: Value | undefined
  readonly error: Failure | undefined
  /** It is being read for the first time. */
  readonly isPending: boolean
  /** Since when reads have failed. */
  readonly failedSince: Date | undefined
  readonly reload: () => void
}

const remembered = new Map<string, unknown>()

/** `key` names what is read; null reads nothing. */
export const useRequest = <Value>(key: string | null, read: () => Promise<Value>, everySeconds?: number): Reading<Value> => {
  const [, redraw] = useState(0)
  const state = useRef<{ key: string | null; value?: Value; error?: Failure | undefined; failedSince?: Date | undefined }>({ key: null })
  const reader = useRef(read)
  reader.current = read
  if (state.current.key !== key) {
    state.current = key !== null && remembered.has(key) ? { key, value: remembered.get(key) as Value } : { key }
  }

  const load = useCallback(async () => {
    if (key === null) return
    const change = (next: Partial<typeof state.current>) => {
      if (state.current.key !== key) return
      state.current = { ...state.current, ...next }
      redraw((count) => count + 1)
    }
    try {
      const value = await reader.current()
      remembered.set(key, value)
      change({ value, error: undefined, failedSince: undefined })
    } catch (error) {
      const failure = failureOf(error)
      if (failure.code === 'not_found') remembered.delete(key) // another page does not begin with what is gone
      change({ error: failure, failedSince: state.current.failedSince ?? new Date() })
    }
  }, [key])

  useEffect(() => {
    void load()
    if (everySeconds === undefined) return
    const loadIfSeen = () => {
      if (document.visibilityState === 'visible') void load()
    }
    const timer = setInterval(loadIfSeen, everySeconds * 1000)
    document.addEventListener('visibilitychange', loadIfSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', loadIfSeen)
    }
  }, [load, everySeconds])

  const { value, error, failedSince } = state.current
  const isPending = key !== null && value === undefined && error === undefined
  return { value, error, isPending, failedSince, reload: () => void load() }
}

/**
 * Whether everything that a page begins with was there once. A page is painted then, and not in parts, so that nothing of it moves; and
 * it stays, whatever is read anew later.
 */
export const useComplete = (isPending: boolean): boolean => {
  const isComplete = useRef(false)
  isComplete.current ||= !isPending
  return isComplete.current
}
