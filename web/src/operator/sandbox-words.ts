// What an operator reads of a sandbox. Pure.

import type { SandboxOverview } from '../../../src/contract/operator.ts'

/** In seconds. */
export const ageOf = ({ created_at }: SandboxOverview, now: number): number => Math.max(0, (now - Date.parse(created_at)) / 1000)

export const holderOf = ({ account_id, account_name, pool_state }: SandboxOverview): string => {
  if (pool_state !== null) return 'nobody yet'
  if (account_id === null) return 'anonymous'
  return account_name === null ? account_id : `${account_name} (${account_id})`
}

const states = {
  starting: 'starting',
  running: 'running',
  completed: 'repaired',
  terminated: 'ended',
  warming: 'being built for the pool',
  warm: 'warm, in the pool',
} as const

export const stateOf = ({ status, pool_state }: SandboxOverview): string => states[pool_state ?? status]
