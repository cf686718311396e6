// Follows the events of a lab while its page is open. The connection mends itself; since when it is lost is told.

import { useEffect, useReducer, useState } from 'preact/hooks'
import type { Client } from '../../../src/client/client.ts'
import { type Failure, failureOf } from '../api.ts'
import { afterEvent, type LabState, unknownLab } from './lab-state.ts'

export interface FollowedLab {
  readonly state: LabState
  /** Since when the server does not answer. */
  readonly lostSince: Date | null
  /** The server refuses to tell. */
  readonly refusal: Failure | null
}

export const useLab = (id: string, client: Pick<Client, 'follow'>): FollowedLab => {
  const [state, take] = useReducer(afterEvent, unknownLab)
  const [lostSince, setLostSince] = useState<Date | null>(null)
  const [refusal, setRefusal] = useState<Failure | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const onConnection = (isOpen: boolean) => setLostSince((since) => (isOpen ? null : (since ?? new Date())))
    const follow = async () => {
      for await (const event of client.follow(id, { signal: left.signal, onConnection })) {
        if (left.signal.aborted) return
        take(event)
      }
    }
    follow().catch((error: unknown) => {
      if (!left.signal.aborted) setRefusal(failureOf(error))
    })
    return () => left.abort()
  }, [id, client])
  return { state, lostSince, refusal }
}
