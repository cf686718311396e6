// What grading knows of writes that customers were told of: noted by customers in the probe, read from a real PostgreSQL.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Observer, openObserver } from '../src/grading/observer.ts'
import { describeRecords, observeRecords, type Rows } from '../src/grading/records.ts'
import { createId } from '../src/ids.ts'
import { inMinutes, inProbe } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'
import { order, orderDatabase, orderRecords, psql } from './support/order-database.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
const scriptText = 'printf \'%s\\n\' \'["one", "a \\\\n b"]\' \'["two"]\''

let observer: Observer
let before: Record<string, Rows>
const observed = (written: object = {}) => observeRecords(observer, orderRecords(written, scriptText), before)

const sql = (text: string) => inProbe(engine, sandbox, `${psql} -c "${text}"`)

/** What went wrong, or null. */
const buy = async (act: object): Promise<string | null> => {
  const program = `import base64, json, sys; sys.path.insert(0, '/opt/probe'); import visit
print(json.dumps(visit.perform(json.loads(base64.b64decode(sys.argv[1])))[0]))`
  return JSON.parse(await inProbe(engine, sandbox, `python3 -c "${program}" ${Buffer.from(JSON.stringify(act)).toString('base64')}`))
}

beforeAll(async () => {
  await engine.ensureImages(['postgres'], () => undefined)
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: [orderDatabase()], readyTimeoutSeconds: 60 } })
  observer = openObserver(engine, sandbox)
  before = await describeRecords(observer, orderRecords())
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('acknowledged writes', () => {
  it('are noted by the customers, and hold', async () => {
    expect(await buy(order('web-{{nonce}}'))).toBeNull()
    expect(await observed()).toEqual({ passed: true, saw: 'all orders are there' })
  })

  it('hold where the answer was an error, whether the write was carried out or not', async () => {
    expect(await buy(order('half', `INSERT INTO orders VALUES ('half', 'lamp', 2); SELECT 1 / 0`))).toMatch(/exited/)
    expect(await observed()).toMatchObject({ passed: true })
    await sql("INSERT INTO orders VALUES ('half', 'lamp', 2)")
    expect(await observed()).toMatchObject({ passed: true })
  })

  it.each([
    ['is gone', "DELETE FROM orders WHERE reference = 'seed-17'", '1 that were confirmed are not there'],
    ['was changed', "UPDATE orders SET seats = 9 WHERE reference = 'kept'", '1 are not as they were confirmed'],
    ['was doubled', "INSERT INTO orders SELECT * FROM orders WHERE reference = 'kept'", '1 are there more than once'],
    ['was made up', "INSERT INTO orders VALUES ('forged', 'lamp', 2)", '1 were asked for by nobody'],
  ])('tell one that %s', async (_, damage, told) => {
    await sql("DELETE FROM orders WHERE reference = 'kept'")
    await buy(order('kept'))
    expect(await observed()).toMatchObject({ passed: true })
    await sql(`CREATE TABLE held AS SELECT * FROM orders; ${damage}`)
    expect(await observed()).toEqual({ passed: false, saw: `of the orders, ${told}` })
    await sql('DELETE FROM orders; INSERT INTO orders SELECT * FROM held; DROP TABLE held')
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('leave tests of the person on call alone', async () => {
    await sql("INSERT INTO orders VALUES ('test-1', 'lamp', 2)")
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('may be noted by a script of a check', async () => {
    await inProbe(engine, sandbox, 'note-write attempted orders desk-1')
    await sql("INSERT INTO orders VALUES ('desk-1', 'lamp', 2)")
    expect(await observed()).toMatchObject({ passed: true })
    await inProbe(engine, sandbox, 'note-write acknowledged orders desk-2 lamp 3')
    expect(await observed()).toMatchObject({ passed: false, saw: 'of the orders, 1 that were confirmed are not there' })
    await sql("INSERT INTO orders VALUES ('desk-2', 'lamp', 3)")
    expect(await observed()).toMatchObject({ passed: true })
  })

  it('have time to settle where they are carried out later', async () => {
    await inProbe(engine, sandbox, 'note-write acknowledged orders late lamp 1')
    expect(await observed()).toMatchObject({ passed: false })
    const settling = observed({ settles_ms: 12_000 })
    await sql("INSERT INTO orders VALUES ('late', 'lamp', 1)")
    expect(await settling).toMatchObject({ passed: true })
  })

  it('are read by a script, too', async () => {
    const rows = { script: { run: 'checks/rows.sh' } }
    const described = await describeRecords(observer, orderRecords({ rows }, scriptText))
    expect(Object.keys(described.orders ?? {})).toEqual(['one', 'two'])
  })

  it('fail when they cannot be read', async () => {
    const rows = { in: 'db', query: 'SELECT nothing FROM public.orders' }
    const { passed, saw } = await observed({ rows })
    expect({ passed, saw }).toEqual({ passed: false, saw: 'the orders cannot be read: column "nothing" does not exist' })
  })
})
