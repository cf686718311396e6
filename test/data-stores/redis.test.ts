// What grading sees of Redis servers and their sentinels: each damage that is done to real ones is told, and what does no harm is not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DataStore, dataStore, dataStoresOf } from '../../src/catalog/data-store-file.ts'
import type { StoreDescription } from '../../src/data-stores/data-store-kind.ts'
import { describeStores, observeStores } from '../../src/grading/data-stores.ts'
import { type Observer, openObserver } from '../../src/grading/observer.ts'
import { createId } from '../../src/ids.ts'
import { inMinutes } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'
import { type Machine, machines, redisCluster, words } from '../support/redis-cluster.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
let observer: Observer
let before: Record<string, StoreDescription>

const redis = {
  members: [...machines],
  user: 'admin',
  password: words.admin,
  logins: { admin: words.admin, shop: words.shop },
  refused: ['rotatedaway'],
  sentinels: { password: words.sentinel },
}
const storesWith = (mayChange: object): DataStore[] =>
  dataStoresOf({ 'kv-1': dataStore.parse({ redis: { ...redis, may_change: mayChange } }) })

const run = async (service: Machine, text: string): Promise<string> => {
  const command = { argv: ['bash', '-c', text], timeoutMs: 30_000, outputBytes: 65_536 }
  const { exitCode, stdout, stderr } = await engine.execDirect({ sandbox, service }, command)
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout.toString().trim()
}
const cli = `redis-cli --no-auth-warning -e --user admin -a ${words.admin}`
const sentinelCli = `redis-cli --no-auth-warning -e -p 26379 -a ${words.sentinel}`
const ask = (service: Machine, ...commands: readonly string[]) => run(service, commands.map((text) => `${cli} ${text}`).join(' && '))

const places = async (): Promise<{ master: Machine; replica: Machine; other: Machine }> => {
  const roles = await Promise.all(machines.map((machine) => ask(machine, 'ROLE')))
  const [master] = machines.filter((_, index) => roles[index]?.startsWith('master'))
  const [replica, other] = machines.filter((_, index) => roles[index]?.startsWith('slave'))
  if (master === undefined || replica === undefined || other === undefined) throw new Error(roles.join('; '))
  return { master, replica, other }
}

const observed = (mayChange: object = {}) => observeStores(observer, storesWith(mayChange), before)
const asItWas = { passed: true, saw: 'kv-1 is as it was' }

beforeAll(async () => {
  await engine.ensureImages(['redis'], () => undefined)
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: redisCluster, readyTimeoutSeconds: 60 } })
  observer = openObserver(engine, sandbox)
  await run('kv-2', `until ${cli} ROLE | grep -q ^slave || ${cli} INFO replication | grep -q connected_slaves:2; do sleep 0.1; done`)
  await run(
    'kv-2',
    `{ for n in $(seq 300); do echo "HSET basket:$n cod $n"; done; echo 'RPUSH basket:list a b c'; echo 'SADD basket:set x y z'
       echo 'ZADD basket:scores 1 a 2 b'; echo 'XADD basket:stream 1-1 k v'; echo 'SET "basket:odd\\xff\\r\\nname" v EX 3000'; echo 'SELECT 3'; echo 'SET other 1'; } | ${cli}`,
  )
  before = await describeStores(observer, storesWith({}))
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('servers as they were', () => {
  it('hold, again and again', async () => {
    expect(await observed()).toMatchObject(asItWas)
    expect(await observed()).toMatchObject(asItWas)
  })

  it('may be written to all the time', async () => {
    const writing = run(
      'kv-2',
      `for n in $(seq 40); do for m in $(seq 100); do echo "INCR basket:count"; echo "HSET basket:$m cod $n$m"; echo "SET basket:gone$n$m 1 PX 50"; done; done | ${cli} > /dev/null`,
    )
    const seen = [await observed(), await observed(), await observed()]
    await writing
    expect(seen).toEqual(seen.map(() => expect.objectContaining(asItWas)))
  })

  it('may write their files anew, and may be asked for less or more of a log', async () => {
    await Promise.all(machines.map((machine) => ask(machine, 'BGREWRITEAOF', 'CONFIG SET loglevel verbose', 'CONFIG REWRITE', 'ACL SAVE')))
    expect(await observed()).toMatchObject(asItWas)
  })

  it('may have another master, and be started again', async () => {
    const { master } = await places()
    await run(master, `${sentinelCli} SENTINEL FAILOVER tide`)
    await run(master, `until ${cli} ROLE | grep -q ^slave; do sleep 0.1; done`)
    await Promise.all(machines.map((machine) => run(machine, 'sv restart sentinel; sv restart redis')))
    expect(await observed()).toMatchObject(asItWas)
    expect((await places()).master).not.toBe(master)
  })
})

const shopRule = `ACL SETUSER shop resetpass '>${words.shop}'`
/** What is done to one machine, what is told, and what undoes it. */
const damages: readonly (readonly [string, string, RegExp, string])[] = [
  [
    'a password that is the name of its user',
    "ACL SETUSER shop resetpass '>shop'",
    /login shop does not work on kv-1; kv-1 lets shop in/,
    shopRule,
  ],
  [
    'a second password, an old one',
    "ACL SETUSER shop '>rotatedaway'",
    /kv-1 lets shop in.*user shop on kv-1/,
    "ACL SETUSER shop '<rotatedaway'",
  ],
  ['no password', 'ACL SETUSER replica nopass', /kv-1 lets replica in/, `ACL SETUSER replica resetpass '>${words.replica}'`],
  [
    'the user default',
    "ACL SETUSER default on '>redis'",
    /kv-1 lets default in.*user default on kv-1/,
    'ACL SETUSER default off resetpass',
  ],
  ['a new user', "ACL SETUSER intern on '>unguessable-0815' +@all", /user intern on kv-1 is new/, 'ACL DELUSER intern'],
  ['more keys', "ACL SETUSER shop '~*'", /user shop on kv-1 is not as it was/, "ACL SETUSER shop resetkeys '~basket:*'"],
  ['more commands', 'ACL SETUSER shop +config', /user shop on kv-1/, 'ACL SETUSER shop -config'],
  ['more by a selector', "ACL SETUSER shop '(~order:* +get)'", /user shop on kv-1/, 'ACL SETUSER shop clearselectors'],
  ['a user who cannot log in', 'ACL SETUSER shop off', /login shop does not work on kv-1/, 'ACL SETUSER shop on'],
  ['no file of commands', 'CONFIG SET appendonly no', /setting appendonly on kv-1/, 'CONFIG SET appendonly yes'],
  ['a file that is written at leisure', 'CONFIG SET appendfsync no', /setting appendfsync on kv-1/, 'CONFIG SET appendfsync everysec'],
  [
    'data that is thrown out',
    'CONFIG SET maxmemory-policy allkeys-lru',
    /setting maxmemory-policy on kv-1/,
    'CONFIG SET maxmemory-policy noeviction',
  ],
  ['less room', 'CONFIG SET maxmemory 4mb', /setting maxmemory on kv-1/, 'CONFIG SET maxmemory 32mb'],
  [
    'writes that nobody else has',
    'CONFIG SET min-replicas-to-write 0',
    /setting min-replicas-to-write on kv-1/,
    'CONFIG SET min-replicas-to-write 1',
  ],
  ['no protected mode', 'CONFIG SET protected-mode no', /setting protected-mode on kv-1/, 'CONFIG SET protected-mode yes'],
  [
    'a replica that is never chosen',
    'CONFIG SET replica-priority 0',
    /setting replica-priority on kv-1/,
    'CONFIG SET replica-priority 100',
  ],
  [
    'another password for replication',
    'CONFIG SET masterauth other',
    /setting masterauth on kv-1/,
    `CONFIG SET masterauth ${words.replica}`,
  ],
]

describe('a damage is told', () => {
  it.each(damages)('%s', async (_name, damage, told, undo) => {
    await ask('kv-1', damage)
    const { passed, saw } = await observed()
    await ask('kv-1', undo)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toMatchObject(asItWas)
  })

  it('a function', async () => {
    const { master } = await places()
    await ask(master, 'FUNCTION LOAD $\'#!lua name=late\\nredis.register_function("late", function() return 1 end)\'')
    expect(await observed()).toMatchObject({ passed: false, saw: expect.stringMatching(/functions late on kv-1 is new/) })
    await ask(master, 'FUNCTION DELETE late')
    expect(await observed()).toMatchObject(asItWas)
  })

  it('a command under another name', async () => {
    const edit = (text: string) => `${text}; sv restart redis; until ${cli} PING; do sleep 0.1; done`
    const { replica } = await places()
    await run(replica, edit("sed -i '/^rename-command DEBUG/d' /etc/redis/redis.conf"))
    expect(await observed()).toMatchObject({ passed: false, saw: `in kv-1: command DEBUG on ${replica} is not as it was` })
    await run(replica, edit('echo \'rename-command DEBUG ""\' >> /etc/redis/redis.conf'))
    expect(await observed()).toMatchObject(asItWas)
  })
})

/** What is done to a replica that may be written to, and what undoes it. */
const falsified: readonly (readonly [string, string, string])[] = [
  ['another value', 'HSET basket:207 cod 8', 'HSET basket:207 cod 207'],
  ['a field more', 'HSET basket:209 gold 1', 'HDEL basket:209 gold'],
  ['a member less', 'SREM basket:set x', 'SADD basket:set x'],
  ['another order', 'LSET basket:list 0 z', 'LSET basket:list 0 a'],
  ['another score', 'ZADD basket:scores 9 a', 'ZADD basket:scores 1 a'],
  ['another type', 'COPY basket:set basket:211 REPLACE', `DEL basket:211 && ${cli} HSET basket:211 cod 211`],
  ['a key more', 'SET extra 1', 'DEL extra'],
  ['a key less, in another database', '-n 3 DEL other', '-n 3 SET other 1'],
  ['an end of life', 'EXPIRE basket:211 7200', 'PERSIST basket:211'],
]

describe('a replica that holds something else', () => {
  it.each(falsified)('%s', async (_name, damage, undo) => {
    const { replica } = await places()
    const write = (text: string) => ask(replica, 'CONFIG SET replica-read-only no', text, 'CONFIG SET replica-read-only yes')
    await write(damage)
    const seen = await observed()
    await write(undo)
    expect(seen).toMatchObject({ passed: false, saw: `in kv-1: ${replica} holds other data than its master` })
    expect(await observed()).toMatchObject(asItWas)
  })
})

describe('sentinels', () => {
  const damagesThere: readonly (readonly [string, string, RegExp, string])[] = [
    [
      'one vote is enough',
      'SENTINEL SET tide quorum 1',
      /quorum of tide on the sentinel of kv-3 is not as it was/,
      'SENTINEL SET tide quorum 2',
    ],
    [
      'it waits for a day',
      'SENTINEL SET tide down-after-milliseconds 86400000',
      /down-after-milliseconds of tide/,
      'SENTINEL SET tide down-after-milliseconds 2000',
    ],
    [
      'it lets everybody in',
      'ACL SETUSER backup on nopass +@all',
      /the sentinel of kv-3 lets backup in.*user backup on the sentinel of kv-3 is new/,
      'ACL DELUSER backup',
    ],
    [
      'it cannot log in',
      'SENTINEL SET tide auth-pass other',
      /the sentinel of kv-3 does not reach the master/,
      `SENTINEL SET tide auth-pass ${words.sentinel}`,
    ],
    [
      'it watches another group too',
      'SENTINEL MONITOR ebb 127.0.0.1 6379 1',
      /of ebb on the sentinel of kv-3 is new/,
      'SENTINEL REMOVE ebb',
    ],
  ]

  it.each(damagesThere)('%s', async (_name, damage, told, undo) => {
    await run('kv-3', `${sentinelCli} ${damage}`)
    const { passed, saw } = await observed()
    await run('kv-3', `${sentinelCli} ${undo}`)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toMatchObject(asItWas)
  })
})

describe('what a repair may change', () => {
  it('is a password, and a setting; easily guessed it may not be', async () => {
    const mayChange = { passwords: ['replica'], settings: ['masterauth'] }
    before = await describeStores(observer, storesWith(mayChange))
    const change = (word: string) =>
      Promise.all(machines.map((machine) => ask(machine, `ACL SETUSER replica resetpass '>${word}'`, `CONFIG SET masterauth ${word}`)))
    await change('another-0815-word')
    expect(await observed(mayChange)).toMatchObject(asItWas)
    await change('redis')
    expect(await observed(mayChange)).toMatchObject({ passed: false, saw: expect.stringMatching(/lets replica in/) })
    await change(words.replica)
    before = await describeStores(observer, storesWith({}))
  })
})

describe('a member that does not answer', () => {
  it('is told', async () => {
    const { replica } = await places()
    await run(replica, 'sv stop redis')
    expect(await observed()).toMatchObject({ passed: false, saw: `the data of kv-1 cannot be read: ${replica} does not answer` })
    await run(replica, 'sv start redis')
    expect(await observed()).toMatchObject(asItWas)
  })
})
