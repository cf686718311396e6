// Polls the capacity, over the API and in the store: there are never more sandboxes than slots.

import { setTimeout as delay } from 'node:timers/promises'
import type { MortalLab } from '../support/server.ts'

const pauseMs = 100

export const watchCapacity = (lab: MortalLab, capacity: number) => {
  const excesses: string[] = []
  let samples = 0
  let over = false

  const note = (what: string, count: number) => {
    samples += 1
    if (count > capacity) excesses.push(`${what}: ${count} of ${capacity}`)
  }
  const look = async () => {
    note('live rows', (await lab.inside.store.sandboxes.listLive()).length)
    const { status, body } = await lab.call('GET', '/labs/capacity')
    if (status !== 200) return
    note('places in use', body.in_use)
    note('places in all', body.in_use + body.available)
  }
  const watching = (async () => {
    while (!over) {
      await look().catch(() => undefined) // the server or the database does not answer
      await delay(pauseMs)
    }
  })()

  return {
    /** Violations of the capacity, and the number of successful polls. */
    end: async () => {
      over = true
      await watching
      return { excesses, samples }
    },
  }
}
