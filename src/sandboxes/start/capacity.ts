// Reports the capacity: slots in use, warm sandboxes, and the length of the queue.

import type { Clock } from '../../clock.ts'
import type { Limits } from '../../configured-limits.ts'
import type { Capacity } from '../../contract/capacity.ts'
import type { SandboxStore } from '../../store/sandboxes.ts'
import type { SlotStore } from '../../store/slots.ts'
import { endsRemembered } from './jobs.ts'
import { estimateWaitSeconds } from './queue-wait-estimate.ts'

export interface CapacityDeps {
  readonly store: SandboxStore
  readonly slots: SlotStore
  readonly clock: Clock
  readonly limits: Limits
}

export const createCapacity =
  ({ store, slots, clock, limits }: CapacityDeps) =>
  async (): Promise<Capacity> => {
    const [inUse, length, unclaimed] = await Promise.all([slots.countClaimed(), slots.countQueued(), slots.listUnclaimed()])
    const warm: Record<string, number> = {}
    for (const { course_id, pool_state } of unclaimed) if (pool_state === 'warm') warm[course_id] = (warm[course_id] ?? 0) + 1
    const available = Math.max(0, limits.capacity - inUse)
    const free = available > 0 && length === 0
    const estimate = free ? 0 : estimateWaitSeconds(length + 1, limits.capacity, await store.lifetimes(endsRemembered))
    return {
      status: free ? 'available' : length < limits.queue ? 'busy' : 'full',
      total: limits.capacity,
      in_use: inUse,
      available,
      warm,
      queue: { length, max: limits.queue, estimated_wait_seconds: estimate },
      updated_at: clock.now().toISOString(),
    }
  }
