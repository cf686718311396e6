// The status document: what the service has checked of itself, and how long starts take.

import type { Clock } from './clock.ts'
import type { ServiceStatus } from './contract/status.ts'
import type { Health } from './health.ts'

export interface StatusDeps {
  readonly health: Health
  /** How long the latest starts took. */
  readonly startTimes: () => ServiceStatus['starts']
  readonly clock: Clock
}

export const createStatus = ({ health, startTimes, clock }: StatusDeps) => {
  const since = clock.now().toISOString()
  let isolation: string | null = null
  return {
    /** The isolation of sandboxes has held; a server whose engine fails it does not serve. */
    isolationHeld: (checkedAt: string): void => {
      isolation = checkedAt
    },

    read: async (): Promise<ServiceStatus> => {
      const { status, version, checks } = await health()
      const held = isolation === null ? [] : [{ name: 'isolation' as const, passed: true, checked_at: isolation }]
      return { status, version, checks: [...checks, ...held], starts: startTimes(), since }
    },
  }
}
