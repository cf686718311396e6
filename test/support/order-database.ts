// A PostgreSQL with orders, the records of them, and customers who write into it.

import { dataStoresOf } from '../../src/catalog/data-store-file.ts'
import { type RecordSet, recordSet, recordSetsOf } from '../../src/catalog/records-file.ts'
import type { TrafficStep } from '../../src/catalog/scenario-instance.ts'
import { bareService } from '../contract/fixture.ts'

const password = 'saltandrope'
const initialSql = `
CREATE ROLE oncall LOGIN PASSWORD '${password}';
CREATE DATABASE shop OWNER oncall;
\\connect shop
SET ROLE oncall;
CREATE TABLE orders (reference text, item text, seats integer);
INSERT INTO orders SELECT 'seed-' || n, 'kettle', n FROM generate_series(1, 300) AS n;
`

/** The service `db`, whose settings follow the usual ones. */
export const orderDatabase = (settings = '') => ({
  ...bareService('db', { memoryBytes: 128 * 1024 ** 2, pids: 60 }),
  image: 'postgres',
  command: ['postgres-entrypoint'],
  files: [
    { path: '/srv/db/init/01.sql', content: Buffer.from(initialSql), executable: false },
    { path: '/etc/postgresql/15/main/conf.d/90-test.conf', content: Buffer.from(settings), executable: false },
  ],
  ready: { tcp: { host: 'db', port: 5432 } },
})

const stores = dataStoresOf({
  db: { postgres: { database: 'shop', user: 'oncall', password, logins: {}, refused: [], may_change: { logins: [], settings: [] } } },
})

/** The records `orders`, with further keys or others than these. */
export const orderRecords = (written: object = {}, scriptText = ''): RecordSet[] =>
  recordSetsOf(
    {
      orders: recordSet.parse({
        rows: { in: 'db', query: 'SELECT reference, item, seats FROM public.orders' },
        tests: 'test-.*',
        ...written,
      }),
    },
    stores,
    () => scriptText,
  )

export const psql = `PGPASSWORD=${password} psql -h db -U oncall -d shop -X -q -v ON_ERROR_STOP=1`

/** A customer's act, as traffic and load have it. */
export const order = (reference: string, insert = `INSERT INTO orders VALUES ('${reference}', 'lamp', 2)`): TrafficStep => ({
  script: { text: `${psql} -c "${insert}"`, env: {}, timeout_ms: 10_000 },
  writes: { orders: [reference, 'lamp', '2'] },
})
