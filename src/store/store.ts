// Opens the store: queries and transactions on SQLite or PostgreSQL. Of the rules of features it holds those that must be decided inside one
// transaction (slots.ts, settlements.ts). It never calls the engine.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { createId } from '../ids.ts'
import { type AccountStore, createAccountStore } from './accounts.ts'
import { type BatchStore, createBatchStore } from './batches.ts'
import { type BrowserSessionStore, createBrowserSessionStore } from './browser-sessions.ts'
import { type CheckoutStore, type CommerceLocks, createCheckoutStore } from './checkouts.ts'
import { type CreditStore, createCreditStore } from './credits.ts'
import { type CustomerStore, createCustomerStore } from './customers.ts'
import { createEntitlementStore, type EntitlementStore } from './entitlements.ts'
import { createEvaluationStore, type EvaluationStore } from './evaluations.ts'
import { createRequestStore, type RequestStore } from './idempotent-requests.ts'
import { createInvitationStore, type InvitationStore } from './invitations.ts'
import { createJobStore, type JobStore } from './jobs.ts'
import { createLabAccessStore, type LabAccessStore } from './lab-access.ts'
import { createLocalPaymentStore, type LocalPaymentStore } from './local-payments.ts'
import { createSandboxStore, type SandboxStore } from './sandboxes.ts'
import { createSettlementStore, type SettlementStore } from './settlements.ts'
import { createShareStore, type ShareStore } from './shares.ts'
import { createSlotStore, type SlotStore } from './slots.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { createStartChargeStore, type StartChargeStore } from './start-charges.ts'
import type { Tables } from './tables.ts'
import { createTokenStore, type TokenStore } from './tokens.ts'

export interface StoreOptions {
  /** PostgreSQL when given, else SQLite in `file`. */
  readonly databaseUrl: string | undefined
  readonly file: string
  readonly now: Date
}

export interface Store {
  /** The id of this installation in the labels of every engine object; generated once, with the store. */
  readonly installation: string
  readonly accounts: AccountStore
  readonly tokens: TokenStore
  readonly browserSessions: BrowserSessionStore
  readonly sandboxes: SandboxStore
  readonly slots: SlotStore
  readonly labAccess: LabAccessStore
  readonly invitations: InvitationStore
  readonly evaluations: EvaluationStore
  readonly shares: ShareStore
  readonly jobs: JobStore
  readonly startCharges: StartChargeStore
  readonly requests: RequestStore
  readonly batches: BatchStore
  readonly customers: CustomerStore
  readonly checkouts: CheckoutStore
  readonly settlements: SettlementStore
  readonly entitlements: EntitlementStore
  readonly credits: CreditStore
  readonly localPayments: LocalPaymentStore
  /** Resolves when the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const migrationsFolder = join(import.meta.dirname, 'migrations')

/** The advisory lock of PostgreSQL for payments: any number that nothing else in this database uses. */
const paymentsLock = 20

const loadMigrations = async (): Promise<Record<string, Migration>> => {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.ts')).sort()
  const loaded = files.map(
    async (name) => [name.replace(/\.ts$/, ''), await import(pathToFileURL(join(migrationsFolder, name)).href)] as const,
  )
  return Object.fromEntries(await Promise.all(loaded))
}

/** Its library is loaded only where it is used: an idle server on SQLite is smaller without it. */
const postgresDialect = async (connectionString: string): Promise<Dialect> => {
  const { Pool } = await import('pg')
  const pool = new Pool({ connectionString, max: 10 })
  pool.on('error', () => undefined) // an idle connection was lost; the next query opens another
  pool.on('connect', (client) => client.on('error', () => undefined)) // a connection in use was lost; its query fails by itself
  return new PostgresDialect({ pool })
}

export const openStore = async (options: StoreOptions): Promise<Store> => {
  const onPostgres = options.databaseUrl !== undefined
  const db = new Kysely<Tables>({ dialect: onPostgres ? await postgresDialect(options.databaseUrl) : sqliteDialect(options.file) })
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations: loadMigrations } }).migrateToLatest()
    if (error !== undefined) throw error

    const installation = await db.transaction().execute(async (transaction) => {
      if (onPostgres) await sql`lock table installation in exclusive mode`.execute(transaction)
      const found = await transaction.selectFrom('installation').select('id').executeTakeFirst()
      if (found !== undefined) return found.id
      const row = { id: createId(), created_at: options.now.toISOString() }
      await transaction.insertInto('installation').values(row).execute()
      return row.id
    })

    const lockInstallation = async (transaction: Kysely<Tables>) => {
      if (onPostgres) await transaction.selectFrom('installation').select('id').forUpdate().execute()
    }

    const lockAccount = async (transaction: Kysely<Tables>, id: string) => {
      if (onPostgres) await transaction.selectFrom('account').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    }

    const lockSandbox = async (transaction: Kysely<Tables>, id: string) => {
      if (onPostgres) await transaction.selectFrom('sandbox').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    }

    /** Waits for what refers to the account, and keeps new references out. */
    const lockAccountAlone = async (transaction: Kysely<Tables>, id: string) => {
      if (onPostgres) await transaction.selectFrom('account').select('id').where('id', '=', id).forUpdate().execute()
    }

    const commerceLocks: CommerceLocks = {
      payments: async (transaction) => {
        if (onPostgres) await sql`select pg_advisory_xact_lock(${paymentsLock})`.execute(transaction)
      },
      account: lockAccount,
      accountKept: async (transaction, id) => {
        if (onPostgres) await transaction.selectFrom('account').select('id').where('id', '=', id).forKeyShare().execute()
      },
      checkout: async (transaction, id) => {
        if (onPostgres) await transaction.selectFrom('checkout').select('id').where('id', '=', id).forUpdate().execute()
      },
    }

    const lockLocalPayment = async (transaction: Kysely<Tables>, reference: string) => {
      if (onPostgres)
        await transaction.selectFrom('local_payment').select('reference').where('reference', '=', reference).forUpdate().execute()
    }

    return {
      installation,
      accounts: createAccountStore(db, lockAccountAlone),
      tokens: createTokenStore(db, lockAccount),
      browserSessions: createBrowserSessionStore(db),
      sandboxes: createSandboxStore(db),
      slots: createSlotStore(db, lockInstallation),
      labAccess: createLabAccessStore(db),
      invitations: createInvitationStore(db, lockSandbox),
      evaluations: createEvaluationStore(db),
      shares: createShareStore(db),
      jobs: createJobStore(db),
      startCharges: createStartChargeStore(db),
      requests: createRequestStore(db, { account: lockAccount, sandbox: lockSandbox }),
      batches: createBatchStore(db),
      customers: createCustomerStore(db, commerceLocks.accountKept),
      checkouts: createCheckoutStore(db, commerceLocks),
      settlements: createSettlementStore(db, commerceLocks),
      entitlements: createEntitlementStore(db),
      credits: createCreditStore(db, lockAccount),
      localPayments: createLocalPaymentStore(db, lockLocalPayment),
      ping: async () => {
        await sql`select 1`.execute(db)
      },
      close: () => db.destroy(),
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}
