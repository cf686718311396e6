// What paid plans give: one row for each checkout, which is replaced by what its events say.

import type { Kysely, Selectable } from 'kysely'
import type { EntitlementTable } from './commerce-tables.ts'
import type { Tables } from './tables.ts'

export type EntitlementRow = Selectable<EntitlementTable>

/** Makes it so. `wanted` is null when the checkout gives nothing. */
export const replaceEntitlement = async (on: Kysely<Tables>, checkoutId: string, wanted: EntitlementRow | null): Promise<void> => {
  if (wanted === null) {
    await on.deleteFrom('entitlement').where('checkout_id', '=', checkoutId).execute()
    return
  }
  const { account_id, plan_id, source, starts_at, ends_at, updated_at } = wanted
  const values = { account_id, plan_id, source, starts_at, ends_at, updated_at }
  await on
    .insertInto('entitlement')
    .values({ checkout_id: checkoutId, ...values })
    .onConflict((conflict) => conflict.column('checkout_id').doUpdateSet(values))
    .execute()
}

export const createEntitlementStore = (db: Kysely<Tables>) => ({
  /** Those of an account that have not ended. */
  listActive: (accountId: string, now: string): Promise<EntitlementRow[]> =>
    db
      .selectFrom('entitlement')
      .selectAll()
      .where('account_id', '=', accountId)
      .where((build) => build.or([build('ends_at', 'is', null), build('ends_at', '>', now)]))
      .orderBy('checkout_id')
      .execute(),
})

export type EntitlementStore = ReturnType<typeof createEntitlementStore>
