// SQLite only: many processes, and locks, on one file.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { sqliteDialect } from '../src/store/sqlite-dialect.ts'
import { root } from './support/engine.ts'
import { account, ample, now, sandbox, useSqlite, useStores } from './support/store.ts'

const { open } = useStores()
const newSqlite = useSqlite()

describe('SQLite only', () => {
  it('writes ahead, syncs every commit, checks foreign keys, and never waits inside the library', async () => {
    const { file } = await newSqlite()
    const db = new Kysely<never>({ dialect: sqliteDialect(file) })
    const pragma = async (name: string) =>
      Object.values((await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(db)).rows[0] ?? {})[0]
    const names = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout']
    const values: unknown[] = []
    for (const name of names) values.push(await pragma(name))
    await db.destroy()
    expect(values).toEqual(['wal', 2, 1, 0])
  })

  it('is opened for the first time by eight processes at once', async () => {
    const { file } = await newSqlite()
    const script = `const { openStore } = await import(${JSON.stringify(join(root, 'src/store/store.ts'))})
      const store = await openStore({ databaseUrl: undefined, file: ${JSON.stringify(file)}, now: new Date() })
      console.log(store.installation); await store.close()`
    const run = () => promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script])
    const answers = await Promise.all(Array.from({ length: 8 }, run))
    expect(new Set(answers.map(({ stdout }) => stdout.trim()))).toEqual(
      new Set([(await open({ databaseUrl: undefined, file })).installation]),
    )
  })

  it('waits for a locked database without holding up the process', async () => {
    const place = await newSqlite()
    const store = await open(place)
    const { id } = await account(store, 'ada')
    const other = new DatabaseSync(place.file)
    other.exec('begin exclusive')
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 20)
    const done: string[] = []
    const note = (what: string) => () => {
      done.push(what)
    }
    const writes = [
      store.slots.reserve(sandbox(id), ample).then(note('reserve')),
      store.tokens.touch('none', now).then(note('touch')),
      open(place).then(note('open')),
    ]
    await delay(2_000)
    expect(done).toEqual([])
    expect(ticks).toBeGreaterThan(20)
    other.exec('commit')
    other.close()
    await Promise.all(writes)
    clearInterval(timer)
    expect(done.sort()).toEqual(['open', 'reserve', 'touch'])
    expect(await store.slots.countClaimed()).toBe(1)
  })
})
