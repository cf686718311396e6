// What grading sees of a PostgreSQL server: each damage that is done to a real one is told, and what does no harm is not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DataStore, dataStoresOf } from '../../src/catalog/data-store-file.ts'
import type { StoreDescription } from '../../src/data-stores/data-store-kind.ts'
import { describeStores, observeStores } from '../../src/grading/data-stores.ts'
import { type Observer, openObserver } from '../../src/grading/observer.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
const words = { app: 'quaysideledger', oncall: 'saltandrope' }
let observer: Observer
let before: Record<string, StoreDescription>

const initialSql = `
CREATE ROLE shop_owner NOLOGIN;
CREATE ROLE shop_app LOGIN PASSWORD '${words.app}';
CREATE ROLE oncall LOGIN PASSWORD '${words.oncall}';
CREATE DATABASE shop OWNER shop_owner;
REVOKE ALL ON DATABASE shop FROM PUBLIC;
GRANT CONNECT ON DATABASE shop TO shop_app, oncall;
\\connect shop
SET ROLE shop_owner;
CREATE TABLE orders (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, reference text NOT NULL UNIQUE, seats integer CHECK (seats > 0));
CREATE SEQUENCE numbers;
CREATE INDEX large ON orders (seats) WHERE seats > 40;
CREATE DOMAIN few AS integer CHECK (VALUE < 10);
GRANT SELECT ON orders TO shop_app, oncall;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO oncall;
GRANT INSERT ON orders TO shop_app;
INSERT INTO orders (reference, seats) SELECT 'r' || n, n FROM generate_series(1, 50) AS n;
SELECT setval('numbers', 7);
`

const postgres = { database: 'shop', user: 'oncall', password: words.oncall, logins: { shop_app: words.app }, refused: ['rotatedaway'] }
const storesWith = (mayChange: object): DataStore[] =>
  dataStoresOf({
    db: { postgres: { ...postgres, may_change: { logins: [], settings: [], ...mayChange } } },
  })

/** As the superuser, in the machine itself. */
const sql = async (text: string, database = 'shop'): Promise<void> => {
  const argv = [
    'setpriv',
    '--reuid=postgres',
    '--regid=postgres',
    '--init-groups',
    'psql',
    '-X',
    '-q',
    '-v',
    'ON_ERROR_STOP=1',
    '-d',
    database,
  ]
  const { exitCode, stderr } = await engine.execDirect(
    { sandbox, service: 'db' },
    { argv, stdin: text, timeoutMs: 20_000, outputBytes: 65_536 },
  )
  if (exitCode !== 0) throw new Error(stderr.toString())
}

const observed = async (mayChange: object = {}) => observeStores(observer, storesWith(mayChange), before)

beforeAll(async () => {
  await engine.ensureImages(['postgres'], () => undefined)
  const db = {
    ...bareService('db', { memoryBytes: 128 * 1024 ** 2, pids: 60 }),
    image: 'postgres',
    command: ['postgres-entrypoint'],
    files: [{ path: '/srv/db/init/01.sql', content: Buffer.from(initialSql), executable: false }],
    ready: { tcp: { host: 'db', port: 5432 } },
  }
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: [db], readyTimeoutSeconds: 60 } })
  observer = openObserver(engine, sandbox)
  before = await describeStores(observer, storesWith({}))
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('a server as it was', () => {
  it('holds, again and again', async () => {
    expect(await observed()).toMatchObject({ passed: true })
    expect(await observed()).toMatchObject({ passed: true, saw: 'db is as it was' })
  })

  it('may have new rows, tables and indexes', async () => {
    await sql("INSERT INTO orders (reference, seats) VALUES ('new', 1); CREATE TABLE notes (id integer); CREATE INDEX ON orders (seats);")
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('may have a table whose numbers are made, a copy of another, and a type', async () => {
    await sql(`SET ROLE shop_owner; CREATE TABLE todo (id integer GENERATED ALWAYS AS IDENTITY, at timestamptz DEFAULT now());
      CREATE TABLE orders_before AS SELECT * FROM orders; CREATE TYPE mood AS ENUM ('calm', 'busy');`)
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('may be analysed, vacuumed and written down', async () => {
    await sql('VACUUM FULL ANALYZE; CHECKPOINT; REINDEX DATABASE shop; REINDEX TABLE CONCURRENTLY orders;')
    expect(await observed()).toMatchObject({ passed: true })
  })
})

const restored = `ALTER ROLE shop_app PASSWORD '${words.app}'`

/** What is done, what is told, and what undoes it. */
const damages: readonly (readonly [string, string, RegExp, string])[] = [
  ['a password that is the name of its role', "ALTER ROLE shop_app PASSWORD 'shop_app'", /login shop_app does not work/, restored],
  ['another password of the service', "ALTER ROLE shop_app PASSWORD 'other'", /login shop_app does not work/, restored],
  ['an obvious password', "ALTER ROLE oncall PASSWORD 'password'", /cannot be read/, `ALTER ROLE oncall PASSWORD '${words.oncall}'`],
  [
    'a new role, with a password that was rotated away',
    "CREATE ROLE intern LOGIN PASSWORD 'rotatedaway'",
    /lets intern in.*role intern is new/,
    'DROP ROLE intern',
  ],
  [
    'more rights for everybody',
    'GRANT SELECT ON orders TO PUBLIC',
    /rights on table orders is not as it was/,
    'REVOKE SELECT ON orders FROM PUBLIC',
  ],
  [
    'a view that everybody may use',
    'CREATE VIEW overview AS SELECT * FROM orders; GRANT ALL ON overview TO PUBLIC',
    /view overview is new/,
    'DROP VIEW overview',
  ],
  [
    'a new table that everybody may read',
    'CREATE TABLE spare AS SELECT * FROM orders; GRANT SELECT ON spare TO PUBLIC',
    /rights on table spare is new/,
    'DROP TABLE spare',
  ],
  [
    'a new table of which everybody may read a column',
    'CREATE TABLE spare AS SELECT * FROM orders; GRANT SELECT (reference) ON spare TO PUBLIC',
    /rights on table spare is new/,
    'DROP TABLE spare',
  ],
  [
    'a new table that was given to a service',
    'CREATE TABLE spare AS SELECT * FROM orders; ALTER TABLE spare OWNER TO shop_app',
    /rights on table spare is new/,
    'DROP TABLE spare',
  ],
  [
    'a new table that keeps rows from being deleted',
    'CREATE TABLE kept (id integer REFERENCES orders (id)); INSERT INTO kept SELECT id FROM orders',
    /table orders is not as it was/,
    'DROP TABLE kept',
  ],
  [
    'a new table whose rows are found in an old one',
    'CREATE TABLE more () INHERITS (orders)',
    /table orders is not as it was/,
    'DROP TABLE more',
  ],
  [
    'an index that cannot be calculated from some number on',
    'CREATE INDEX bomb ON orders ((1 / greatest(5000 - id, 0)))',
    /expression index public.bomb is new/,
    'DROP INDEX bomb',
  ],
  [
    'the same by the condition of an index',
    'CREATE INDEX bomb ON orders (id) WHERE 1 / (5000 - id) >= 0',
    /partial index public.bomb is new/,
    'DROP INDEX bomb',
  ],
  [
    'a unique index that is not enforced',
    "UPDATE pg_index SET indimmediate = false WHERE indexrelid = 'orders_reference_key'::regclass",
    /unique index public.orders_reference_key is not as it was/,
    "UPDATE pg_index SET indimmediate = true WHERE indexrelid = 'orders_reference_key'::regclass",
  ],
  [
    'a type that takes less',
    'ALTER DOMAIN few ADD CONSTRAINT fewer CHECK (VALUE < 5)',
    /type public.few is not as it was/,
    'ALTER DOMAIN few DROP CONSTRAINT fewer',
  ],
  [
    'a column without its constraint',
    'ALTER TABLE orders ALTER reference DROP NOT NULL',
    /table orders/,
    'ALTER TABLE orders ALTER reference SET NOT NULL',
  ],
  ['a table that no crash survives', 'ALTER TABLE orders SET UNLOGGED', /table orders/, 'ALTER TABLE orders SET LOGGED'],
  [
    'what is committed is not on disk',
    'ALTER SYSTEM SET synchronous_commit = off; SELECT pg_reload_conf()',
    /setting synchronous_commit is not as it was/,
    'ALTER SYSTEM RESET synchronous_commit; SELECT pg_reload_conf()',
  ],
  [
    'the same for one role only',
    'ALTER ROLE shop_app SET synchronous_commit = off',
    /settings of role shop_app is new/,
    'ALTER ROLE shop_app RESET synchronous_commit',
  ],
  [
    'a sequence near its end',
    "SELECT setval('orders_id_seq', 2147483000)",
    /sequence public.orders_id_seq is running out/,
    "SELECT setval('orders_id_seq', 60)",
  ],
  [
    'a sequence near its end that no column uses',
    "SELECT setval('numbers', 9223372036854775000)",
    /sequence public.numbers is running out/,
    "SELECT setval('numbers', 7)",
  ],
  [
    'a sequence that gives again what it gave',
    "SELECT setval('orders_id_seq', 3)",
    /is behind what it has already given out/,
    "SELECT setval('orders_id_seq', 60)",
  ],
  [
    'a sequence that nobody may read',
    'REVOKE SELECT ON SEQUENCE numbers FROM oncall',
    /rights on table numbers is gone/,
    'GRANT SELECT ON SEQUENCE numbers TO oncall',
  ],
  [
    'a trigger',
    'CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER late BEFORE INSERT ON orders EXECUTE FUNCTION late()',
    /function public.late\(\) is new; table orders/,
    'DROP FUNCTION late CASCADE',
  ],
  [
    'a system function that says something else',
    "UPDATE pg_catalog.pg_proc SET prosrc = 'pg_backend_pid' WHERE proname = 'pg_last_xact_replay_timestamp'",
    /catalog of functions is not as it was/,
    "UPDATE pg_catalog.pg_proc SET prosrc = 'pg_last_xact_replay_timestamp' WHERE proname = 'pg_last_xact_replay_timestamp'",
  ],
]

describe('a damage is told', () => {
  it.each(damages)('%s', async (_name, damage, told, undo) => {
    await sql(damage)
    const { passed, saw } = await observed()
    await sql(undo)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('in another database of the server', async () => {
    await sql('CREATE FUNCTION stored() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$', 'template1')
    expect(await observed()).toMatchObject({ passed: false, saw: 'in db: database template1, what is in it is not as it was' })
    await sql('DROP FUNCTION stored', 'template1')
  })
})

describe('what a repair may change', () => {
  it('is a login that is locked, whose password still has to be right', async () => {
    await sql('ALTER ROLE shop_app NOLOGIN')
    before = await describeStores(observer, storesWith({ logins: ['shop_app'] }))
    expect(await observed({ logins: ['shop_app'] })).toMatchObject({ passed: true })
    await sql('ALTER ROLE shop_app LOGIN')
    expect(await observed({ logins: ['shop_app'] })).toMatchObject({ passed: true })
    before = await describeStores(observer, storesWith({}))
  })

  it('is a setting, wherever it is set', async () => {
    const mayChange = { settings: ['work_mem'] }
    before = await describeStores(observer, storesWith(mayChange))
    await sql("ALTER SYSTEM SET work_mem = '5MB'; SELECT pg_reload_conf(); ALTER ROLE shop_app SET work_mem = '6MB';")
    expect(await observed(mayChange)).toMatchObject({ passed: true })
  })
})

describe('a server that does not answer', () => {
  it('has timed out, which on a busy host says nothing', async () => {
    const signal = (name: string) =>
      engine.execDirect({ sandbox, service: 'db' }, { argv: ['pkill', `-${name}`, 'postgres'], timeoutMs: 10_000, outputBytes: 1024 })
    await signal('STOP')
    const observation = await observed()
    await signal('CONT')
    expect(observation).toMatchObject({ passed: false, timedOut: true })
  })

  it('fails where it refuses, and says that it cannot be read', async () => {
    await sql('ALTER DATABASE shop ALLOW_CONNECTIONS false', 'postgres')
    const observation = await observed()
    expect(observation).toMatchObject({ passed: false, saw: expect.stringContaining('the data of db cannot be read') })
    expect(observation.timedOut).toBeUndefined()
    await sql('ALTER DATABASE shop ALLOW_CONNECTIONS true', 'postgres')
  })
})
