// What is done from time to time: expires checkouts, forgets those that were never paid, and undoes at the provider what has ended here.

import { addMinutes, type Clock } from '../clock.ts'
import type { CheckoutStore } from '../store/checkouts.ts'

export interface SweepDeps {
  readonly store: CheckoutStore
  readonly clock: Clock
  /** What is to be undone at the provider. */
  readonly atProvider: () => Promise<void>
}

const batch = 100
const day = 24 * 60
/** How many minutes a checkout is kept whose page was never opened, and any that was not paid: providers tell of payments for months. */
const kept = 30 * day
const keptOpened = 400 * day

export const createSweep = ({ store, clock, atProvider }: SweepDeps) => {
  const nowText = () => clock.now().toISOString()
  const minutesAgo = (minutes: number) => addMinutes(clock.now(), -minutes).toISOString()

  const expire = async (): Promise<void> => {
    for (;;) {
      const overdue = await store.listOverdue(nowText(), batch)
      for (const { id } of overdue) await store.end(id, 'expired', nowText())
      if (overdue.length < batch) return
    }
  }

  const forget = async (): Promise<void> => {
    for (const id of await store.listForgettable(minutesAgo(kept), minutesAgo(keptOpened), batch)) await store.forget(id)
  }

  let underWay: Promise<void> | null = null
  const pass = async (): Promise<void> => {
    await expire()
    await forget()
    await atProvider()
  }

  return {
    expire,

    /** One pass. Whoever asks during one waits for it. */
    sweep: (): Promise<void> => {
      underWay ??= pass().finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}
