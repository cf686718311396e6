// What grading sees of an etcd cluster: each damage that is done to a real one is told, and what does no harm is not.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DataStore, dataStore, dataStoresOf } from '../../src/catalog/data-store-file.ts'
import type { StoreDescription } from '../../src/data-stores/data-store-kind.ts'
import { describeStores, observeStores } from '../../src/grading/data-stores.ts'
import { type Observer, openObserver } from '../../src/grading/observer.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
const machines = ['etcd-1', 'etcd-2', 'etcd-3'] as const
type Machine = (typeof machines)[number]
const words = { root: 'herringandcod', flags: 'quaysideledger', watch: 'saltandrope' }
let observer: Observer
let before: Record<string, StoreDescription>

const settings = `ETCD_NAME="$(hostname)"
ETCD_DATA_DIR="/var/lib/etcd/default"
ETCD_INITIAL_CLUSTER="${machines.map((name) => `${name}=http://${name}:2380`).join(',')}"
ETCD_INITIAL_CLUSTER_STATE="new"
ETCD_INITIAL_ADVERTISE_PEER_URLS="http://$(hostname):2380"
ETCD_LISTEN_PEER_URLS="http://0.0.0.0:2380"
ETCD_LISTEN_CLIENT_URLS="http://0.0.0.0:2379"
ETCD_ADVERTISE_CLIENT_URLS="http://$(hostname):2379"
ETCD_QUOTA_BACKEND_BYTES="67108864"
ETCD_BCRYPT_COST="5"
ETCD_HEARTBEAT_INTERVAL="300"
ETCD_ELECTION_TIMEOUT="3000"
`
const firstWords = `
unset ETCDCTL_USER
until etcdctl endpoint health --cluster; do sleep 0.1; done
for n in $(seq 60); do etcdctl put /flags/f$n "value-of-$n"; done
etcdctl role add flags; etcdctl role grant-permission flags readwrite --prefix=true /flags/
etcdctl role add watch; etcdctl role grant-permission watch read --prefix=true /flags/
for user in root:${words.root} flags:${words.flags} watch:${words.watch}; do etcdctl user add $user; done
etcdctl user grant-role root root; etcdctl user grant-role flags flags; etcdctl user grant-role watch watch
etcdctl auth enable
`

const etcd = {
  members: [...machines],
  password: words.root,
  logins: { root: words.root, flags: words.flags },
  refused: ['rotatedaway'],
}
const stores: DataStore[] = dataStoresOf({ 'etcd-1': dataStore.parse({ etcd }) })

const run = async (service: Machine, text: string): Promise<string> => {
  const command = { argv: ['bash', '-c', text], timeoutMs: 40_000, outputBytes: 65_536 }
  const { exitCode, stdout, stderr } = await engine.execDirect({ sandbox, service }, command)
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout.toString().trim()
}
const healthy = 'until etcdctl endpoint health > /dev/null 2>&1; do sleep 0.1; done'
const idOf = (name: string) => `$(etcdctl member list | grep ', ${name}, ' | cut -d , -f 1)`

const observed = () => observeStores(observer, stores, before)
const asItWas = { passed: true, saw: 'etcd-1 is as it was' }

beforeAll(async () => {
  await engine.ensureImages(['etcd'], () => undefined)
  const services = machines.map((name) => ({
    ...bareService(name, { memoryBytes: 96 * 1024 ** 2, pids: 80, capabilities: ['SYS_PTRACE'] as const }),
    image: 'etcd',
    command: ['etcd-machine'],
    environment: { ETCDCTL_USER: `root:${words.root}`, ETCDCTL_ENDPOINTS: `http://${name}:2379` },
    files: [{ path: '/etc/default/etcd', content: Buffer.from(settings), executable: false }],
    ready: { tcp: { host: name, port: 2379 } },
  }))
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 60 } })
  observer = openObserver(engine, sandbox)
  await run('etcd-1', firstWords)
  before = await describeStores(observer, stores)
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('a cluster as it was', () => {
  it('holds, again and again', async () => {
    expect(await observed()).toMatchObject(asItWas)
    expect(await observed()).toMatchObject(asItWas)
  })

  it('may be written to all the time, and have leases', async () => {
    const writing = run(
      'etcd-2',
      `for n in $(seq 40); do etcdctl put /flags/f1 $n; etcdctl put --lease=$(etcdctl lease grant 60 | cut -d ' ' -f 2) /instances/$n 1; done > /dev/null`,
    )
    const seen = [await observed(), await observed(), await observed()]
    await writing
    expect(seen).toEqual(seen.map(() => expect.objectContaining(asItWas)))
  })

  it('may have new keys, of which all have a lease or none, and lose them', async () => {
    await run('etcd-1', `etcdctl put /shop/history/a 1; etcdctl put /shop/history/b/c 1; etcdctl put --lease=${lease} /shop/instances/x 1`)
    expect(await observed()).toMatchObject(asItWas)
    await run('etcd-1', 'etcdctl del --prefix /shop/')
    expect(await observed()).toMatchObject(asItWas)
  })

  it('may have another leader, be compacted and defragmented', async () => {
    const revision = `$(etcdctl get /flags/f1 -w json | grep -o '"revision":[0-9]*' | cut -d : -f 2)`
    await run(
      'etcd-1',
      `etcdctl --endpoints=http://etcd-1:2379,http://etcd-2:2379,http://etcd-3:2379 move-leader ${idOf('etcd-3')} || true`,
    )
    await run('etcd-1', `etcdctl compact ${revision} && etcdctl defrag`)
    expect(await observed()).toMatchObject(asItWas)
  })

  it('may have a member begin anew', async () => {
    await run('etcd-3', 'service etcd stop')
    await run('etcd-1', `etcdctl member remove ${idOf('etcd-3')}`)
    await run('etcd-1', 'until etcdctl member add etcd-3 --peer-urls=http://etcd-3:2380; do sleep 0.1; done')
    await run(
      'etcd-3',
      `rm -rf /var/lib/etcd/default; sed -i 's/^ETCD_INITIAL_CLUSTER_STATE=.*/ETCD_INITIAL_CLUSTER_STATE=existing/' /etc/default/etcd; service etcd start; ${healthy}`,
    )
    expect(await observed()).toMatchObject(asItWas)
  })
})

const lease = "$(etcdctl lease grant 600 | cut -d ' ' -f 2)"
const bind = (keys: string) =>
  `l=${lease}; etcdctl get --prefix --keys-only ${keys} | grep . | while read -r k; do etcdctl put --ignore-value --lease=$l "$k"; done`
const stay = (keys: string) =>
  `etcdctl get --prefix --keys-only ${keys} | grep . | while read -r k; do etcdctl put --ignore-value "$k"; done`

/** What is done to the cluster, what is told, and what undoes it. */
const damages: readonly (readonly [string, string, RegExp, string])[] = [
  [
    'a password that is the name of its user',
    'etcdctl user passwd flags --interactive=false <<< flags',
    /login flags does not work on etcd-1, etcd-2, etcd-3; the cluster lets flags in/,
    `etcdctl user passwd flags --interactive=false <<< ${words.flags}`,
  ],
  [
    'the same for a user whose password nobody declared',
    'etcdctl user passwd watch --interactive=false <<< rotatedaway',
    /the cluster lets watch in/,
    `etcdctl user passwd watch --interactive=false <<< ${words.watch}`,
  ],
  ['a new user', 'etcdctl user add intern:unguessable-0815', /user intern is new/, 'etcdctl user delete intern'],
  [
    'a new user, with a password that was rotated away',
    'etcdctl user add intern:rotatedaway',
    /the cluster lets intern in.*user intern is new/,
    'etcdctl user delete intern',
  ],
  [
    'a user who is gone',
    'etcdctl user delete watch',
    /user watch is gone/,
    `etcdctl user add watch:${words.watch}; etcdctl user grant-role watch watch`,
  ],
  ['another role', 'etcdctl user grant-role watch flags', /user watch is not as it was/, 'etcdctl user revoke-role watch flags'],
  [
    'a wider role',
    'etcdctl role grant-permission flags readwrite --prefix=true /ops/',
    /role flags is not as it was/,
    'etcdctl role revoke-permission flags --prefix=true /ops/',
  ],
  [
    'a role that may write',
    'etcdctl role grant-permission watch readwrite --prefix=true /flags/',
    /role watch is not as it was/,
    'etcdctl role grant-permission watch read --prefix=true /flags/',
  ],
  ['a key that will vanish', bind('/flags/f17'), /lease among keys that stay below \/flags is new/, stay('/flags/f17')],
  ['keys that will all vanish', bind('/flags/'), /lifetime of keys below \/flags is not as it was/, stay('/flags/')],
  [
    'keys that customers made, and that will vanish',
    `etcdctl put /shop/history/a/1 x; etcdctl put /shop/history/b/1 x; ${bind('/shop/history/a/')}`,
    /lease among keys that stay below \/shop\/history is new/,
    'etcdctl del --prefix /shop/',
  ],
  ['a new role', 'etcdctl role add spare', /role spare is new/, 'etcdctl role delete spare'],
  [
    'no passwords',
    'etcdctl auth disable',
    /the data of etcd-1 cannot be read: etcd-1 asks nobody for a password/,
    'ETCDCTL_USER= etcdctl auth enable',
  ],
  [
    'another address for a member',
    `etcdctl member update ${idOf('etcd-2')} --peer-urls=http://etcd-2:2380,http://10.9.9.9:2380`,
    /member etcd-2 is not as it was/,
    `etcdctl member update ${idOf('etcd-2')} --peer-urls=http://etcd-2:2380`,
  ],
  [
    'a member more',
    'etcdctl member add spare --learner --peer-urls=http://10.9.9.9:2380',
    /member that never started is new/,
    `etcdctl member remove $(etcdctl member list | grep unstarted | cut -d , -f 1)`,
  ],
]

describe('a damage is told', () => {
  it.each(damages)('%s', async (_name, damage, told, undo) => {
    await run('etcd-1', damage)
    const { passed, saw } = await observed()
    await run('etcd-1', undo)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toMatchObject(asItWas)
  })

  it('less room at one member', async () => {
    const edit = (bytes: number) =>
      `sed -i 's/^ETCD_QUOTA_BACKEND_BYTES=.*/ETCD_QUOTA_BACKEND_BYTES=${bytes}/' /etc/default/etcd; service etcd restart; ${healthy}`
    await run('etcd-2', edit(2_097_152))
    const { passed, saw } = await observed()
    await run('etcd-2', edit(67_108_864))
    expect({ passed, saw }).toEqual({
      passed: false,
      saw: 'in etcd-1: quota of etcd-2 is not as it was; the room of etcd-2 is running out',
    })
    expect(await observed()).toMatchObject(asItWas)
  })

  it('a value that one member has otherwise', async () => {
    const falsify = (from: string, to: string) =>
      `service etcd stop; sed -i 's/${from}/${to}/g' /var/lib/etcd/default/member/snap/db; service etcd start; ${healthy}`
    await run('etcd-2', falsify('value-of-17', 'value-of-71'))
    const { passed, saw } = await observed()
    await run('etcd-2', falsify('value-of-71', 'value-of-17'))
    expect({ passed, saw }).toEqual({ passed: false, saw: 'in etcd-1: etcd-2 holds other data than the others' })
    expect(await observed()).toMatchObject(asItWas)
  })

  it('rights that one member has otherwise', async () => {
    const falsify = (from: string, to: string) =>
      `service etcd stop; sed -i 's#${from}#${to}#g' /var/lib/etcd/default/member/snap/db; service etcd start; ${healthy}`
    await run('etcd-2', 'etcdctl role grant-permission watch read /flags/only')
    before = await describeStores(observer, stores)
    await run('etcd-2', falsify('/flags/only', '/flags/else'))
    const { passed, saw } = await observed()
    await run('etcd-2', falsify('/flags/else', '/flags/only'))
    expect({ passed, saw }).toEqual({ passed: false, saw: 'in etcd-1: etcd-2 knows other users or roles than etcd-1' })
    expect(await observed()).toMatchObject(asItWas)
  })

  it('an alarm', async () => {
    const big = 'head -c 1000000 /dev/zero | tr "\\0" x'
    const fill = `sed -i 's/^ETCD_QUOTA_BACKEND_BYTES=.*/ETCD_QUOTA_BACKEND_BYTES=1000000/' /etc/default/etcd; service etcd restart; ${healthy}; ! ${big} | etcdctl put /flags/big`
    await run('etcd-3', fill)
    expect(await observed()).toMatchObject({ passed: false, saw: expect.stringMatching(/has an alarm/) })
    await run(
      'etcd-3',
      `sed -i 's/^ETCD_QUOTA_BACKEND_BYTES=.*/ETCD_QUOTA_BACKEND_BYTES=67108864/' /etc/default/etcd; service etcd restart; ${healthy}; etcdctl alarm disarm; ${healthy}`,
    )
    expect(await observed()).toMatchObject(asItWas)
  })

  it('a member that is another one under its name', async () => {
    await run(
      'etcd-3',
      'service etcd stop; (setsid etcd gateway start --listen-addr=0.0.0.0:2379 --endpoints=etcd-1:2379,etcd-2:2379 > /dev/null 2>&1 < /dev/null & echo $! > /run/gateway); true',
    )
    const { passed, saw } = await observed()
    await run('etcd-3', `kill $(cat /run/gateway); service etcd start; ${healthy}`)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(/etcd-3 is not a member by itself/) })
    expect(await observed()).toMatchObject(asItWas)
  })
})

describe('a member that does not answer', () => {
  it('is told', async () => {
    await run('etcd-3', 'service etcd stop')
    expect(await observed()).toMatchObject({ passed: false, saw: 'the data of etcd-1 cannot be read: etcd-3 does not answer' })
    await run('etcd-3', `service etcd start; ${healthy}`)
    expect(await observed()).toMatchObject(asItWas)
  })
})
