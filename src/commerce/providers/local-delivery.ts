// Delivers the events of the local provider to the webhook endpoint of this very service, over HTTP, signed: until it takes them, across
// restarts, for three days. Several servers on one store may deliver the same event; the endpoint knows it by its id.

import type { Clock } from '../../clock.ts'
import { coalesce } from '../../coalesce.ts'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import type { LocalEventRow, LocalPaymentStore } from '../../store/local-payments.ts'
import { signBody } from './webhook-signature.ts'

export const signatureHeader = 'lab-signature'

const firstPauseMs = 1_000
const longestPauseMs = 60_000
const givenUpAfterMs = 3 * 24 * 60 * 60_000
const answerMs = 10_000
const batch = 1_000

export interface DeliveryOptions {
  readonly store: LocalPaymentStore
  readonly secret: string
  /** Where the endpoint is, on this machine. */
  readonly url: () => string
  readonly clock: Clock
  readonly log: Log
}

export const createDelivery = ({ store, secret, url, clock, log }: DeliveryOptions) => {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  /** Whether there may be events that were not there at the last look. */
  let hasMore = false
  /** Ends a pause between attempts. */
  let waking = new AbortController()

  /** Throws unless the endpoint has taken it. */
  const send = async ({ id, body: text }: LocalEventRow): Promise<void> => {
    const endpoint = url()
    if (!isLoopbackUrl(endpoint)) throw new Error('the endpoint is not on this machine')
    const body = Buffer.from(text)
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [signatureHeader]: signBody(body, secret, clock.now()) },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answerMs)]),
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`the endpoint answered ${response.status}`)
    await store.markDelivered(id, clock.now().toISOString())
  }

  const isTaken = async (event: LocalEventRow): Promise<boolean> => {
    try {
      await send(event)
      return true
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ event: event.id, reason: messageOf(error) }, 'an event of the local provider waits')
      return false
    }
  }

  const listWaiting = (): Promise<LocalEventRow[]> => {
    hasMore = false
    return store.listUndelivered(new Date(clock.now().getTime() - givenUpAfterMs).toISOString(), batch)
  }

  /** One after the other, so that they usually arrive in their order. One that is refused keeps no other back. */
  const sendWaiting = async (): Promise<{ readonly sent: number; readonly left: number }> => {
    try {
      const waiting = await listWaiting()
      let sent = 0
      for (const event of waiting) if (!stopping.signal.aborted && (await isTaken(event))) sent += 1
      return { sent, left: waiting.length - sent }
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the events of the local provider cannot be read')
      return { sent: 0, left: 1 }
    }
  }

  /** Over at once when something was added since the events were last looked at. */
  const pause = async (milliseconds: number): Promise<void> => {
    waking = new AbortController()
    if (hasMore) return
    await clock.sleep(milliseconds, AbortSignal.any([stopping.signal, waking.signal])).catch(() => undefined)
  }

  const sendUntilNoneWaits = coalesce(async () => {
    let pauseMs = firstPauseMs
    while (!stopping.signal.aborted) {
      const { sent, left } = await sendWaiting()
      if (left === 0 && sent === 0) return
      if (left === 0) continue
      if (sent > 0) pauseMs = firstPauseMs
      await pause(pauseMs)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  })

  /** Resolves when no event waits any more, or when it is stopped. */
  const deliver = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    hasMore = true
    waking.abort()
    running = sendUntilNoneWaits()
    await running
  }

  return {
    deliver,

    /** In the background. Events that an earlier process left are among them. */
    wake: (): void => void deliver(),

    stop: async (): Promise<void> => {
      stopping.abort()
      await running
    },
  }
}

export type Delivery = ReturnType<typeof createDelivery>
