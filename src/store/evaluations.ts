// Queries on evaluations, which are kept with their evidence after the sandbox has ended.

import type { Insertable, Kysely, Selectable } from 'kysely'
import { comesAfter, type Position } from './newest-first.ts'
import type { EvaluationTable, Tables } from './tables.ts'

export type EvaluationRow = Selectable<EvaluationTable>

/** With when its sandbox was asked for; null where that row is gone. */
export type DatedEvaluationRow = EvaluationRow & { readonly sandbox_created_at: string | null }

const dated = (db: Kysely<Tables>) =>
  db
    .selectFrom('evaluation')
    .selectAll('evaluation')
    .select((build) =>
      build
        .selectFrom('sandbox')
        .select('sandbox.created_at')
        .whereRef('sandbox.id', '=', 'evaluation.sandbox_id')
        .as('sandbox_created_at'),
    )

export const createEvaluationStore = (db: Kysely<Tables>) => ({
  insert: async (row: Insertable<EvaluationTable>): Promise<void> => {
    await db.insertInto('evaluation').values(row).execute()
  },

  find: async (id: string): Promise<DatedEvaluationRow | null> => (await dated(db).where('id', '=', id).executeTakeFirst()) ?? null,

  /** The number of evaluations of a sandbox, and the start of the last one. */
  tally: async (sandboxId: string): Promise<{ count: number; lastStartedAt: string | null }> => {
    const row = await db
      .selectFrom('evaluation')
      .select((build) => [build.fn.countAll<number | string>().as('count'), build.fn.max('started_at').as('last')])
      .where('sandbox_id', '=', sandboxId)
      .executeTakeFirstOrThrow()
    return { count: Number(row.count), lastStartedAt: row.last }
  },

  findByRequest: async (requestId: string): Promise<EvaluationRow | null> =>
    (await db.selectFrom('evaluation').selectAll().where('request_id', '=', requestId).executeTakeFirst()) ?? null,

  lastOf: async (sandboxId: string): Promise<DatedEvaluationRow | null> =>
    (await dated(db).where('sandbox_id', '=', sandboxId).orderBy('started_at', 'desc').orderBy('id').limit(1).executeTakeFirst()) ?? null,

  /** Oldest first. */
  listBySandbox: (sandboxId: string): Promise<DatedEvaluationRow[]> =>
    dated(db).where('sandbox_id', '=', sandboxId).orderBy('started_at').orderBy('id').execute(),

  hasPassed: async (sandboxId: string): Promise<boolean> => {
    const row = await db
      .selectFrom('evaluation')
      .select('id')
      .where('sandbox_id', '=', sandboxId)
      .where('passed', '=', 1)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },

  /** Newest first, after the given one. */
  listByAccount: (
    accountId: string,
    { limit, after, courseId }: { readonly limit: number; readonly after?: Position; readonly courseId?: string },
  ): Promise<DatedEvaluationRow[]> => {
    let query = dated(db).where('account_id', '=', accountId)
    if (courseId !== undefined) query = query.where('course_id', '=', courseId)
    if (after !== undefined) query = query.where(comesAfter('started_at', after))
    return query.orderBy('started_at', 'desc').orderBy('id').limit(limit).execute()
  },

  countByAccount: async (accountId: string, courseId?: string): Promise<number> => {
    let query = db
      .selectFrom('evaluation')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('account_id', '=', accountId)
    if (courseId !== undefined) query = query.where('course_id', '=', courseId)
    return Number((await query.executeTakeFirstOrThrow()).count)
  },
})

export type EvaluationStore = ReturnType<typeof createEvaluationStore>
