// Stores on SQLite and on a real PostgreSQL, and the rows that fill them. Whatever is opened is closed after the test.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createId } from '../../src/ids.ts'
import type { SandboxRow } from '../../src/store/sandboxes.ts'
import { sqliteDialect } from '../../src/store/sqlite-dialect.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { type Postgres, startPostgres } from './postgres.ts'

export const now = '2026-01-02T03:04:05.000Z'
type Database = { databaseUrl: string | undefined; file: string }

export const useStores = () => {
  const opened: Store[] = []
  const close = async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  }
  afterEach(close)
  return {
    open: async (database: Database): Promise<Store> => {
      const store = await openStore({ ...database, now: new Date(now) })
      opened.push(store)
      return store
    },
    close,
  }
}

export const useSqlite = () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'incident-lab-store-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return async (): Promise<Database> => ({ databaseUrl: undefined, file: join(folder, `${createId()}.sqlite`) })
}

export const usePostgres = () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  return {
    newPostgres: async (): Promise<Database> => ({ databaseUrl: await postgres.createDatabase(createId()), file: '' }),
    restart: (...how: Parameters<Postgres['restart']>) => postgres.restart(...how),
  }
}

/** The account of a person who signs in as this at a provider. */
export const account = (store: Store, login: string) =>
  store.accounts.findOrCreate(
    { id: createId(), name: login, role: 'member', created_at: now },
    { provider: 'github', subject: `subject of ${login}`, login, email: null, avatar_url: null, created_at: now, last_used_at: now },
  )

export const sandbox = (accountId: string | null, extra: Partial<SandboxRow> = {}): SandboxRow => ({
  id: createId(),
  account_id: accountId,
  address: null,
  seed: 'seed',
  baseline: null,
  hints_used: 0,
  hints_given: '[]',
  hints_given_at: '[]',
  grading_errors: 0,
  given_up_at: null,
  termination_by: null,
  termination_note: null,
  request_id: null,
  batch_id: null,
  pool_state: null,
  course_id: 'scenario-01',
  status: 'starting',
  termination_reason: null,
  containers: '["ops"]',
  created_at: now,
  expires_at: now,
  deadline: now,
  ended_at: null,
  node: 'n',
  boot_id: 'b',
  ...extra,
})

export const ample = { total: 1000, anonymous: 100, own: 1000, queue: 0 }

/** A database as an earlier version left it, after its last migration. */
export const openEarlier = async (database: Database, lastMigration: string): Promise<Kysely<never>> => {
  const dialect =
    database.databaseUrl === undefined
      ? sqliteDialect(database.file)
      : new PostgresDialect({ pool: new Pool({ connectionString: database.databaseUrl }) })
  const db = new Kysely<never>({ dialect })
  const folder = join(import.meta.dirname, '../../src/store/migrations')
  const getMigrations = async () => {
    const names = (await readdir(folder)).sort().map((name) => name.replace(/\.ts$/, ''))
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, (await import(join(folder, `${name}.ts`))) as Migration] as const)),
    )
  }
  const { error } = await new Migrator({ db, provider: { getMigrations } }).migrateTo(lastMigration)
  if (error !== undefined) throw error
  return db
}
