// What operators may do with sandboxes of everybody: see them, and end them.

import type { Capacity } from '../contract/capacity.ts'
import type { CapacityDetail, SandboxOverview } from '../contract/operator.ts'
import type { SandboxRow, SandboxStore } from '../store/sandboxes.ts'
import { unknownSandbox } from './access.ts'
import type { SandboxOperations } from './run/operations.ts'

export interface OverviewDeps {
  readonly store: SandboxStore
  readonly sandboxes: Pick<SandboxOperations, 'stop'>
  readonly capacity: () => Promise<Capacity>
}

const shown = (row: SandboxRow): SandboxOverview => {
  const { id, course_id, status, account_id, pool_state, node, created_at, expires_at, termination_reason: reason } = row
  const known = { id, course_id, status, account_id, pool_state, node, created_at, expires_at }
  return reason === null ? known : { ...known, termination_reason: reason }
}

const countBy = (rows: readonly SandboxRow[], keyOf: (row: SandboxRow) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, keyOf)].map(([key, group]) => [key, group.length]))

export const createOverview = ({ store, sandboxes, capacity }: OverviewDeps) => ({
  list: async (): Promise<SandboxOverview[]> => (await store.listLive()).map(shown),

  capacity: async (): Promise<CapacityDetail> => {
    const [rows, now] = await Promise.all([store.listLive(), capacity()])
    const claimed = rows.filter(({ pool_state }) => pool_state === null)
    return {
      capacity: now,
      by_status: countBy(rows, ({ status, pool_state }) => pool_state ?? status),
      by_account: countBy(claimed, ({ account_id }) => account_id ?? 'anonymous'),
      by_node: countBy(rows, ({ node }) => node),
    }
  },

  /** Idempotent. Throws not_found. */
  end: async (id: string): Promise<SandboxOverview> => {
    const row = await store.find(id)
    if (row === null) throw unknownSandbox(id, 'GET /operator/sandboxes')
    await sandboxes.stop(row)
    return shown((await store.find(id)) ?? row)
  },
})

export type Overview = ReturnType<typeof createOverview>
