// What grading sees of RabbitMQ: each damage that is done to a real broker is told, what does no harm is not, and no login fails in its log.

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
const logins = { shop: 'quaysideledger', ledger: 'ropeandtackle', watch: 'saltandrope' }
let observer: Observer
let before: Record<string, StoreDescription>

const definitions = {
  vhosts: [{ name: 'port' }],
  users: [
    ...Object.entries(logins).map(([name, password]) => ({ name, password, tags: name === 'watch' ? 'administrator' : '' })),
    { name: 'archive', password: 'coldandcolder', tags: 'monitoring' },
  ],
  permissions: [
    { user: 'shop', vhost: 'port', configure: '^$', write: '^orders$', read: '^$' },
    { user: 'ledger', vhost: 'port', configure: '^$', write: '^$', read: '^ledger$' },
    { user: 'watch', vhost: 'port', configure: '.*', write: '.*', read: '.*' },
  ],
  exchanges: [{ name: 'orders', vhost: 'port', type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} }],
  queues: ['ledger', 'spare'].map((name) => ({ name, vhost: 'port', durable: true, auto_delete: false, arguments: {} })),
  bindings: [{ source: 'orders', vhost: 'port', destination: 'ledger', destination_type: 'queue', routing_key: 'order.#', arguments: {} }],
  policies: [
    { name: 'dead', vhost: 'port', pattern: '^ledger$', 'apply-to': 'queues', priority: 1, definition: { 'dead-letter-exchange': '' } },
  ],
}
const settings = `listeners.tcp.default = 5672
management.tcp.port = 15672
load_definitions = /etc/rabbitmq/definitions.json
vm_memory_high_watermark.absolute = 150MB
disk_free_limit.absolute = 50MB
collect_statistics_interval = 1000
`
const storesWith = (policies: readonly string[] = []): DataStore[] =>
  dataStoresOf({
    mq: {
      rabbitmq: {
        user: 'watch',
        password: logins.watch,
        logins,
        refused: ['rotatedaway'],
        unacknowledged: [],
        port: 5672,
        management_port: 15_672,
        may_change: { policies: [...policies] },
      },
    },
  })

/** As root, in the machine itself. */
const shell = async (text: string): Promise<string> => {
  const program = `set -eu
    ctl() { rabbitmqctl -q "$@"; }
    api() { method=$1; path=$2; shift 2; curl -fsS -u watch:${logins.watch} -X "$method" -H 'Content-Type: application/json' "http://127.0.0.1:15672/api/$path" "$@"; }
    keep() { api GET "users/$1" | jq '{password_hash, hashing_algorithm, tags: (.tags | join(","))}' > /root/account; }
    shows() { for _ in $(seq 50); do api GET nodes | jq -e ".[0] | $1" > /dev/null && return 0; sleep 0.2; done; return 1; }
    ${text}`
  const { exitCode, stdout, stderr } = await engine.execDirect(
    { sandbox, service: 'mq' },
    { argv: ['bash', '-c', program], timeoutMs: 60_000, outputBytes: 65_536 },
  )
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout.toString()
}

const unchanged = { passed: true, saw: 'mq is as it was' }
const observed = async (policies: readonly string[] = []) => observeStores(observer, storesWith(policies), before)

beforeAll(async () => {
  await engine.ensureImages(['rabbitmq'], () => undefined)
  const file = (path: string, content: string) => ({ path, content: Buffer.from(content), executable: false })
  const broker = {
    ...bareService('mq', { memoryBytes: 256 * 1024 ** 2, pids: 256 }),
    image: 'rabbitmq',
    command: ['rabbitmq-machine'],
    files: [file('/etc/rabbitmq/rabbitmq.conf', settings), file('/etc/rabbitmq/definitions.json', JSON.stringify(definitions))],
    ready: { tcp: { host: 'mq', port: 5672 } },
  }
  await engine.create({ id: sandbox, deadline: inMinutes(20), topology: { services: [broker], readyTimeoutSeconds: 90 } })
  observer = openObserver(engine, sandbox)
  before = await describeStores(observer, storesWith())
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('a broker as it was', () => {
  it('holds what it was given', () => {
    expect(Object.keys(before.mq?.things ?? {}).filter((name) => !/^(plugin|listener|exchange amq\.|global|ways)/.test(name))).toEqual(
      expect.arrayContaining([
        'account archive',
        'account shop',
        'binding of ledger to orders in port',
        'disk that it leaves free of rabbit@localhost',
        'exchange orders in port',
        'memory that it may take of rabbit@localhost',
        'password of archive',
        'policy dead in port',
        'queue ledger in port',
        'rights of ledger in port',
        'virtual host port',
      ]),
    )
  })

  it('holds again and again, with messages in it, and after a start, with other salts', async () => {
    expect(await observed()).toEqual(unchanged)
    await shell(
      `api POST exchanges/port/orders/publish -d '{"properties": {}, "routing_key": "order.1", "payload": "x", "payload_encoding": "string"}'; ctl close_all_connections -p port again`,
    )
    expect(await observed()).toEqual(unchanged)
    await shell('ctl import_definitions /etc/rabbitmq/definitions.json')
    await shell(
      `jq '.users |= map(select(.name != "archive"))' /etc/rabbitmq/definitions.json > /root/d; cat /root/d > /etc/rabbitmq/definitions.json`,
    )
    before = await describeStores(observer, storesWith())
    await shell(
      'pkill -TERM -x beam.smp; until ! pgrep -x beam.smp > /dev/null; do sleep 0.2; done; until api GET overview > /dev/null 2>&1; do sleep 0.5; done',
    )
    expect(await observed()).toEqual(unchanged)
  })

  it('has no line of a login that failed', async () => {
    expect(await shell('cat /var/log/rabbitmq/*.log')).not.toMatch(/refused|failed to authenticate|closed unexpectedly/)
  })
})

/** What is done and undone, and what is told. */
const damages: readonly (readonly [string, readonly [string, string], RegExp])[] = [
  [
    'a password that is the name of its account',
    ['ctl change_password shop shop', `ctl change_password shop ${logins.shop}`],
    /login shop does not work; the broker lets shop in/,
  ],
  [
    'an old password',
    ['keep archive; ctl change_password archive rotatedaway', 'api PUT users/archive -d @/root/account'],
    /the broker lets archive in/,
  ],
  ['a new account', ['ctl add_user guest guest', 'ctl delete_user guest'], /lets guest in.*account guest is new/],
  ['an account with another tag', ['ctl set_user_tags shop administrator', 'ctl set_user_tags shop'], /account shop is not as it was/],
  [
    'an account with limits',
    [`ctl set_user_limits ledger '{"max-connections": 5}'`, 'ctl clear_user_limits ledger all'],
    /account ledger is not as it was|limits of ledger is new/,
  ],
  [
    'wider rights',
    [`ctl set_permissions -p port shop '^$' '.*' '^$'`, `ctl set_permissions -p port shop '^$' '^orders$' '^$'`],
    /rights of shop in port is not as it was/,
  ],
  [
    'rights on topics',
    [`ctl set_topic_permissions -p port shop orders '^order' '.*'`, 'ctl clear_topic_permissions -p port shop orders'],
    /topic rights of shop in port is new/,
  ],
  ['a virtual host', ['ctl add_vhost copies', 'ctl delete_vhost copies'], /virtual host copies is new/],
  ['copies of all messages', ['ctl trace_on -p port', 'ctl trace_off -p port'], /virtual host port is not as it was/],
  ['a queue', [`api PUT queues/port/audit -d '{"durable": true}'`, 'api DELETE queues/port/audit'], /queue audit in port is new/],
  [
    'a queue that does not last',
    [
      `api DELETE queues/port/spare; api PUT queues/port/spare -d '{"durable": false}'`,
      `api DELETE queues/port/spare; api PUT queues/port/spare -d '{"durable": true}'`,
    ],
    /queue spare in port is not as it was/,
  ],
  [
    'an exchange',
    [`api PUT exchanges/port/copies -d '{"type": "fanout", "internal": true}'`, 'api DELETE exchanges/port/copies'],
    /exchange copies in port is new/,
  ],
  [
    'another way',
    [`api POST bindings/port/e/orders/q/spare -d '{"routing_key": "#"}'`, 'api DELETE "bindings/port/e/orders/q/spare/%23"'],
    /binding of spare to orders in port is new/,
  ],
  [
    'a policy',
    [`ctl set_policy -p port short '.*' '{"message-ttl": 1000}'`, 'ctl clear_policy -p port short'],
    /policy short in port is new/,
  ],
  [
    'a policy of operators',
    [`ctl set_operator_policy -p port short '.*' '{"max-length": 10}'`, 'ctl clear_operator_policy -p port short'],
    /operator.* short in port is new/,
  ],
  [
    'a limit of a virtual host',
    [`ctl set_vhost_limits -p port '{"max-connections": 20}'`, 'ctl clear_vhost_limits -p port'],
    /limits.* is new/,
  ],
  [
    'another watermark',
    [
      'ctl set_vm_memory_high_watermark absolute 100MB; shows ".mem_limit < 110000000"',
      'ctl set_vm_memory_high_watermark absolute 150MB; shows ".mem_limit > 110000000"',
    ],
    /memory that it may take of rabbit@localhost is not as it was/,
  ],
  [
    'an alarm',
    [
      'ctl set_disk_free_limit 90000GB; shows .disk_free_alarm',
      'ctl set_disk_free_limit 50MB; shows ".disk_free_alarm == false and .disk_free_limit < 60000000"',
    ],
    /has an alarm of its disk/,
  ],
  ['a global parameter', [`ctl set_global_parameter note '"x"'`, 'ctl clear_global_parameter note'], /global parameter note is new/],
]

describe('a damage is told', () => {
  it.each(damages)('%s', async (_name, [damage, undo], told) => {
    await shell(damage)
    const { passed, saw } = await observed()
    await shell(undo)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toEqual(unchanged)
  })
})

describe('what may change', () => {
  it('is what a policy says of the declared keys, whichever policy', async () => {
    before = await describeStores(observer, storesWith(['dead-letter-exchange']))
    await shell(`ctl clear_policy -p port dead; ctl set_policy -p port other '^l' '{"dead-letter-exchange": "orders"}'`)
    expect(await observed(['dead-letter-exchange'])).toEqual(unchanged)
    await shell(`ctl set_policy -p port other '^l' '{"dead-letter-exchange": "orders", "max-length": 7}'`)
    expect(await observed(['dead-letter-exchange'])).toEqual({ passed: false, saw: expect.stringMatching(/policy other in port is new/) })
  })
})

describe('a broker that does not answer', () => {
  it('fails, and says that it cannot be read', async () => {
    await shell('ctl stop_app')
    expect(await observed()).toMatchObject({ passed: false, saw: expect.stringContaining('the data of mq cannot be read') })
  })
})
