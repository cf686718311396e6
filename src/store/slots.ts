// Slots on the engine, the queue for them, and the warm pool. Counting, claiming, evicting and passing on a slot are one transaction
// each, across all servers.

import type { Kysely } from 'kysely'
import { type JobRow, lockFirstQueued } from './jobs.ts'
import { createSandboxStore, type SandboxRow } from './sandboxes.ts'
import { chargeStart, NoCredit } from './start-charges.ts'
import { live, type Tables } from './tables.ts'

/** Limits on live sandboxes: in total, of all anonymous callers together, and of this caller. */
export interface Room {
  readonly total: number
  readonly anonymous: number
  readonly own: number
  /** The maximum length of the queue. */
  readonly queue: number
}

/** A slot for a sandbox: a claimed warm sandbox with its baseline, which may be marked as running already, or an empty slot. */
export interface Slot {
  readonly row: SandboxRow
  readonly baseline: string | null
  /** The warm sandbox that has to be removed first. */
  readonly evicted: string | null
}

export type Reservation =
  | { readonly outcome: 'reserved'; readonly slot: Slot }
  | { readonly outcome: 'queued' | 'own_full' | 'full' | 'no_credit' }

export type Attribution = 'attributed' | 'own_full' | 'not_free'

export type NewJob = Omit<JobRow, 'sandbox_id' | 'position' | 'cancelled_at'>

export interface ReserveOptions {
  /** Queued when there is no free slot; without a job the start does not wait. */
  readonly job?: NewJob | null
  /** The job is inserted in any case. */
  readonly jobAtOnce?: boolean
  /** False for a sandbox that must be built for this start. */
  readonly warm?: boolean
  /** Takes one credit of the account in the same transaction. */
  readonly costsCredit?: boolean
}

interface TakeOptions {
  readonly warm: boolean
  /** A warm sandbox runs from its claim on: whoever waits for it does not wait for a second write. */
  readonly atOnce: boolean
}

type Who = 'everything' | 'anyone' | 'anonymous' | Pick<SandboxRow, 'account_id' | 'address'>

export const createSlotStore = (db: Kysely<Tables>, lockInstallation: (transaction: Kysely<Tables>) => Promise<void>) => {
  const countLive = async (on: Kysely<Tables>, who: Who) => {
    let query = on
      .selectFrom('sandbox')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('status', 'in', live)
    if (who === 'everything') return Number((await query.executeTakeFirstOrThrow()).count)
    query = query.where('pool_state', 'is', null)
    if (who === 'anonymous') query = query.where('account_id', 'is', null)
    else if (who !== 'anyone' && who.account_id !== null) query = query.where('account_id', '=', who.account_id)
    else if (who !== 'anyone') query = query.where('account_id', 'is', null).where('address', '=', who.address)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  const countQueued = async (on: Kysely<Tables>, accountId?: string | null) => {
    let query = on
      .selectFrom('job')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('sandbox_id', 'is', null)
      .where('cancelled_at', 'is', null)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  const insertJob = async (on: Kysely<Tables>, job: NewJob, sandboxId: string | null) => {
    const last = await on.selectFrom('job').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst()
    const row = { ...job, sandbox_id: sandboxId, position: (last?.position ?? 0) + 1, cancelled_at: null }
    await on.insertInto('job').values(row).execute()
  }

  const oldestWarm = (on: Kysely<Tables>, courseId: string) =>
    on
      .selectFrom('sandbox')
      .selectAll()
      .where('status', '=', 'starting')
      .where('pool_state', '=', 'warm')
      .where('course_id', '=', courseId)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst()

  /** The sandbox of the pool to evict: the oldest warm one, else one that is still being built. */
  const nextToEvict = (on: Kysely<Tables>) =>
    on
      .selectFrom('sandbox')
      .select('id')
      .where('status', '=', 'starting')
      .where('pool_state', 'is not', null)
      .orderBy('pool_state')
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst()

  const evict = async (on: Kysely<Tables>, id: string, endedAt: string): Promise<boolean> => {
    const values = { status: 'terminated', termination_reason: 'evicted', ended_at: endedAt } as const
    const result = await on
      .updateTable('sandbox')
      .set(values)
      .where('id', '=', id)
      .where('status', '=', 'starting')
      .where('pool_state', 'is not', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** A warm sandbox of the course, else an empty slot, else the slot of another warm sandbox; null when all are in use. */
  const take = async (
    transaction: Kysely<Tables>,
    row: SandboxRow,
    total: number,
    { warm: mayBeWarm, atOnce }: TakeOptions,
  ): Promise<Slot | null> => {
    if ((await countLive(transaction, 'anyone')) >= total) return null
    for (;;) {
      const warm = mayBeWarm ? await oldestWarm(transaction, row.course_id) : undefined
      if (warm === undefined) break
      const mine: SandboxRow = {
        ...row,
        ...(atOnce ? { status: 'running', baseline: warm.baseline } : {}),
        id: warm.id,
        seed: warm.seed,
        containers: warm.containers,
        expires_at: row.expires_at < warm.deadline ? row.expires_at : warm.deadline,
        deadline: row.deadline < warm.deadline ? row.deadline : warm.deadline,
      }
      const claim = transaction.updateTable('sandbox').set(mine).where('id', '=', warm.id).where('status', '=', 'starting')
      const { numUpdatedRows } = await claim.where('pool_state', '=', 'warm').executeTakeFirst()
      if (numUpdatedRows > 0n) return { row: mine, baseline: warm.baseline, evicted: null }
      // It was evicted between the two statements: look for the next one.
    }
    const crowded = (await countLive(transaction, 'everything')) >= total
    const victim = crowded ? await nextToEvict(transaction) : undefined
    if (victim !== undefined) await evict(transaction, victim.id, row.created_at)
    await transaction.insertInto('sandbox').values(row).execute()
    return { row, baseline: null, evicted: victim?.id ?? null }
  }

  const reserve = async (
    transaction: Kysely<Tables>,
    row: SandboxRow,
    room: Room,
    { job = null, jobAtOnce = false, warm = true, costsCredit = false }: ReserveOptions,
  ): Promise<Reservation> => {
    await lockInstallation(transaction)
    const waitingOwn = row.account_id === null ? 0 : await countQueued(transaction, row.account_id)
    if ((await countLive(transaction, row)) + waitingOwn >= room.own) return { outcome: 'own_full' }
    if (row.account_id === null && (await countLive(transaction, 'anonymous')) >= room.anonymous) return { outcome: 'full' }
    const waiting = await countQueued(transaction)
    const slot = waiting === 0 ? await take(transaction, row, room.total, { warm, atOnce: !jobAtOnce }) : null
    if (slot !== null) {
      if (job !== null && jobAtOnce) await insertJob(transaction, job, slot.row.id)
      if (costsCredit) await chargeStart(transaction, row, { sandbox_id: slot.row.id })
      return { outcome: 'reserved', slot }
    }
    if (job === null || waiting >= room.queue) return { outcome: 'full' }
    await insertJob(transaction, job, null)
    if (costsCredit) await chargeStart(transaction, row, { job_id: job.id })
    return { outcome: 'queued' }
  }

  return {
    /** Takes a slot if one is free and the queue is empty; otherwise queues the job. Without the credit that it costs, nothing. */
    reserve: async (row: SandboxRow, room: Room, options: ReserveOptions = {}): Promise<Reservation> => {
      try {
        return await db.transaction().execute((transaction) => reserve(transaction, row, room, options))
      } catch (error) {
        if (error instanceof NoCredit) return { outcome: 'no_credit' }
        throw error
      }
    },

    /**
     * Assigns an anonymous sandbox, and its evaluations, to an account. It counts for the account from then on, so the account's
     * limit must allow one more. Changes nothing if the account owns it already.
     */
    attribute: (id: string, accountId: string, own: number): Promise<Attribution> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        const row = await transaction
          .selectFrom('sandbox')
          .select(['account_id', 'course_id', 'status'])
          .where('id', '=', id)
          .executeTakeFirst()
        if (row?.account_id === accountId) return 'attributed'
        if (row === undefined || row.account_id !== null) return 'not_free'
        const isLive = (live as readonly string[]).includes(row.status)
        const taken = (await countLive(transaction, { account_id: accountId, address: null })) + (await countQueued(transaction, accountId))
        if (isLive && taken >= own) return 'own_full'
        const { hasGivenUp: find } = createSandboxStore(transaction)
        const hasGivenUp = await find(accountId, row.course_id) // then what was graded without the account is assisted too
        await transaction.updateTable('sandbox').set({ account_id: accountId }).where('id', '=', id).execute()
        await transaction
          .updateTable('evaluation')
          .set({ account_id: accountId, ...(hasGivenUp ? { assisted: 1 } : {}) })
          .where('sandbox_id', '=', id)
          .where('account_id', 'is', null)
          .execute()
        return 'attributed'
      }),

    /** Gives a free slot to the first job of the queue; null when there is no slot or no job. */
    takeQueued: (total: number, rowOf: (job: JobRow) => SandboxRow): Promise<{ job: JobRow; slot: Slot } | null> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        const job = await lockFirstQueued(transaction)
        if (job === null) return null
        const slot = await take(transaction, rowOf(job), total, { warm: job.may_be_warm === 1, atOnce: false })
        if (slot === null) return null
        await transaction.updateTable('job').set({ sandbox_id: slot.row.id }).where('id', '=', job.id).execute()
        return { job, slot }
      }),

    /** Reserves a slot for a warm sandbox, unless there are enough of its course or no slot is free. */
    reserveWarm: (row: SandboxRow, total: number, wanted: number): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        await lockInstallation(transaction)
        if ((await countQueued(transaction)) > 0 || (await countLive(transaction, 'everything')) >= total) return false
        const ofCourse = await transaction
          .selectFrom('sandbox')
          .select('id')
          .where('status', '=', 'starting')
          .where('pool_state', 'is not', null)
          .where('course_id', '=', row.course_id)
          .execute()
        if (ofCourse.length >= wanted) return false
        await transaction.insertInto('sandbox').values(row).execute()
        return true
      }),

    /** False when it was evicted meanwhile. */
    markWarm: async (id: string, baseline: string): Promise<boolean> => {
      const result = await db
        .updateTable('sandbox')
        .set({ pool_state: 'warm', baseline })
        .where('id', '=', id)
        .where('status', '=', 'starting')
        .where('pool_state', '=', 'warming')
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    /** Ends a sandbox of the pool. False when it was claimed meanwhile, or has ended. */
    evict: (id: string, endedAt: string) => evict(db, id, endedAt),

    /** Deletes the rows of sandboxes that were evicted before then. */
    eraseEvicted: async (before: string): Promise<void> => {
      await db
        .deleteFrom('sandbox')
        .where('status', '=', 'terminated')
        .where('termination_reason', '=', 'evicted')
        .where('pool_state', 'is not', null)
        .where('ended_at', '<', before)
        .execute()
    },

    listUnclaimed: (): Promise<SandboxRow[]> =>
      db
        .selectFrom('sandbox')
        .selectAll()
        .where('status', '=', 'starting')
        .where('pool_state', 'is not', null)
        .orderBy('created_at')
        .execute(),

    /** How many sandboxes of each course were started since then. */
    demand: async (since: string): Promise<ReadonlyMap<string, number>> => {
      const rows = await db
        .selectFrom('sandbox')
        .select(['course_id', (build) => build.fn.countAll<number | string>().as('count')])
        .where('created_at', '>=', since)
        .where('pool_state', 'is', null)
        .groupBy('course_id')
        .execute()
      return new Map(rows.map(({ course_id, count }) => [course_id, Number(count)]))
    },

    /** Slots in use, without the warm pool. */
    countClaimed: () => countLive(db, 'anyone'),

    countQueued: () => countQueued(db),
  }
}

export type SlotStore = ReturnType<typeof createSlotStore>
