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
  /** Null for an account that is gone. */
  readonly nameOf: (accountId: string) => Promise<string | null>
}

const shownAs = (row: SandboxRow, account_name: string | null): SandboxOverview => {
  const { id, course_id, status, account_id, pool_state, node, created_at, expires_at } = row
  const known = { id, course_id, status, account_id, account_name, pool_state, node, created_at, expires_at }
  return {
    ...known,
    ...(row.termination_reason === null ? {} : { termination_reason: row.termination_reason }),
    ...(row.termination_by === null ? {} : { termination_by: row.termination_by }),
    ...(row.termination_note === null ? {} : { termination_note: row.termination_note }),
  }
}

const countBy = (rows: readonly SandboxRow[], keyOf: (row: SandboxRow) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, keyOf)].map(([key, group]) => [key, group.length]))

export const createOverview = ({ store, sandboxes, capacity, nameOf }: OverviewDeps) => ({
  list: async (): Promise<SandboxOverview[]> => {
    const rows = await store.listLive()
    const accounts = [...new Set(rows.flatMap(({ account_id }) => (account_id === null ? [] : [account_id])))]
    const names = new Map(await Promise.all(accounts.map(async (id) => [id, await nameOf(id)] as const)))
    return rows.map((row) => shownAs(row, names.get(row.account_id ?? '') ?? null))
  },

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

  /** Idempotent: the reason of one that had ended before stays. Throws not_found. */
  end: async (id: string, reason?: string): Promise<SandboxOverview> => {
    const row = await store.find(id)
    if (row === null) throw unknownSandbox(id, 'GET /operator/sandboxes')
    await sandboxes.stop(row, { termination_by: 'operator', termination_note: reason ?? null })
    return shownAs((await store.find(id)) ?? row, row.account_id === null ? null : await nameOf(row.account_id))
  },
})

export type Overview = ReturnType<typeof createOverview>
