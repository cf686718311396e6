// A Kysely dialect for node:sqlite. The library is synchronous, so it must not wait for locks: the busy timeout is 0, and statements
// on a locked database are retried asynchronously.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from 'kysely'
import { retry } from '../polling.ts'

const busy = 5
const patienceMs = 10_000
const openingMs = 5_000
/** How many prepared statements are cached: preparing one costs more than running it. */
const keptStatements = 200

const open = (file: string): SqliteDatabase => {
  const database = new DatabaseSync(file, { timeout: openingMs, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 0')
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const known = kept.get(sql)
      if (known !== undefined) return known
      const statement = database.prepare(sql)
      const prepared: SqliteStatement = {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...(values as SQLInputValue[])),
        run: (values) => statement.run(...(values as SQLInputValue[])),
        iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
      }
      if (kept.size >= keptStatements) kept.clear()
      kept.set(sql, prepared)
      return prepared
    },
  }
}

const isBusy = (error: unknown) => {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' && (code & 0xff) === busy
}

/** Longer each time, and never the same for two who wait. */
const pauseMs = (attempt: number) => Math.min(2 ** (attempt - 1), 50) * (0.5 + Math.random())

const patient = (connection: DatabaseConnection): DatabaseConnection => ({
  streamQuery: (query, size) => connection.streamQuery(query, size),
  executeQuery: (query) => retry(() => connection.executeQuery(query), isBusy, { pauseMs, withinMs: patienceMs }),
})

class PatientSqliteDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return patient(await super.acquireConnection())
  }

  /** BEGIN IMMEDIATE takes the write lock at once, so that later statements of the transaction never find the database locked. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** SQLite supports DDL in transactions, so that two processes that migrate at once take turns. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

export const sqliteDialect = (file: string): Dialect => ({
  createAdapter: () => new TransactionalSqliteAdapter(),
  createDriver: () => new PatientSqliteDriver({ database: open(file) }),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
