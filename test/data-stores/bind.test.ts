// What grading sees of name servers: each damage that is done to real ones is told, what does no harm is not, and nothing is changed by looking.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DataStore, dataStoresOf } from '../../src/catalog/data-store-file.ts'
import { recordSetsOf } from '../../src/catalog/records-file.ts'
import type { StoreDescription } from '../../src/data-stores/data-store-kind.ts'
import { describeStores, observeStores } from '../../src/grading/data-stores.ts'
import { type Observer, openObserver } from '../../src/grading/observer.ts'
import { describeRecords, observeRecords, type Rows } from '../../src/grading/records.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes } from '../contract/fixture.ts'
import { createTestEngine } from '../support/engine.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
const secrets = { transfer: randomBytes(32).toString('base64'), registrar: randomBytes(32).toString('base64') }
let observer: Observer
let before: Record<string, StoreDescription>
let rowsBefore: Record<string, Rows>

const key = (name: 'transfer' | 'registrar') => `key "${name}" {\n\talgorithm hmac-sha256;\n\tsecret "${secrets[name]}";\n};\n`
const options = `options {
	directory "/var/cache/bind";
	listen-on { any; };
	listen-on-v6 { none; };
	recursion no;
	allow-transfer { none; };
	empty-zones-enable no;
	dnssec-validation no;
	min-refresh-time 1;
	min-retry-time 1;
	notify-delay 0;
};
`
const primary = `include "/etc/bind/keys/transfer.key";
include "/etc/bind/keys/registrar.key";
zone "port.internal" {
	type primary;
	file "/var/lib/bind/port.internal.db";
	update-policy { grant registrar subdomain ships.port.internal. A TXT; };
	allow-transfer { key transfer; };
	notify no;
};
`
const secondary = `include "/etc/bind/keys/transfer.key";
zone "port.internal" {
	type secondary;
	file "/var/lib/bind/port.internal.db";
	masterfile-format text;
	primaries { PRIMARY key transfer; };
	allow-transfer { key transfer; };
	notify no;
};
`
const zone = `$ORIGIN port.internal.
$TTL 300
@	IN SOA	ns1 hostmaster (
		100 ; serial
		1 1 604800 1 )
	IN NS	ns1
	IN NS	ns2
	IN MX	10 mail
	IN TXT	"v=spf1 mx -all" "two parts"
ns1	IN A	192.0.2.11
ns2	IN A	192.0.2.12
mail	IN A	192.0.2.13
www	IN CNAME	mail
_sip._tcp	IN SRV	0 5 5060 mail
ten.ships	1 IN A	192.0.2.20
`
const stores: DataStore[] = dataStoresOf({
  ns1: {
    bind: {
      zones: ['port.internal'],
      secondaries: ['ns2'],
      keys: secrets,
      algorithm: 'hmac-sha256',
      reader: 'transfer',
      names: ['ships.port.internal'],
      port: 53,
    },
  },
})
const sets = recordSetsOf(
  {
    zone: {
      rows: { in: 'ns1', query: 'port.internal without clock.ships.port.internal' },
      settles_ms: 0,
      may_wait: false,
      grows: false,
      tests: '[a-z]+\\.ships\\.port\\.internal A .*',
    },
  },
  stores,
  () => '',
)

/** As root, in the machine itself. */
const shell = async (service: 'ns1' | 'ns2', text: string): Promise<string> => {
  const program = `set -eu
    db=/var/lib/bind/port.internal.db
    edit() { rndc freeze port.internal; sleep 0.3; sed -i "$1" $db; s=$(grep -oE '[0-9]+ *; serial' $db | grep -oE '^[0-9]+'); sed -i "s/$s *; serial/$((s + 1)) ; serial/" $db; rndc thaw port.internal; sleep 0.5; }
    update() { printf 'server 127.0.0.1\\n%s\\nsend\\n' "$1" | nsupdate -k /etc/bind/keys/registrar.key; }
    conf() { cp /etc/bind/named.conf.$1 /root/conf.$1; sed -i "$2" /etc/bind/named.conf.$1; rndc reconfig; sleep 0.5; }
    unconf() { cat /root/conf.$1 > /etc/bind/named.conf.$1; rndc reconfig; sleep 0.5; }
    ${text}`
  const { exitCode, stdout, stderr } = await engine.execDirect(
    { sandbox, service },
    { argv: ['bash', '-c', program], timeoutMs: 20_000, outputBytes: 65_536 },
  )
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout.toString()
}

const unchanged = { passed: true, saw: 'ns1 is as it was' }
const observed = () => observeStores(observer, stores, before)
const recorded = () => observeRecords(observer, sets, rowsBefore)

beforeAll(async () => {
  await engine.ensureImages(['bind9'], () => undefined)
  const file = (path: string, content: string) => ({ path, content: Buffer.from(content), executable: false })
  const server = (name: string, files: ReturnType<typeof file>[]) => ({
    ...bareService(name, { memoryBytes: 96 * 1024 ** 2, pids: 128 }),
    image: 'bind9',
    command: [
      'sh',
      '-c',
      'until a=$(getent ahostsv4 ns1 | awk \'NR == 1 { print $1 }\') && [ -n "$a" ]; do sleep 0.1; done; sed -i "s/PRIMARY/$a/" /etc/bind/named.conf.local; exec named-machine',
    ],
    files: [file('/etc/bind/named.conf.options', options), file('/etc/bind/keys/transfer.key', key('transfer')), ...files],
    ready: { tcp: { host: name, port: 53 } },
  })
  const services = [
    server('ns1', [
      file('/etc/bind/named.conf.local', primary),
      file('/etc/bind/keys/registrar.key', key('registrar')),
      file('/var/lib/bind/port.internal.db', zone),
    ]),
    server('ns2', [file('/etc/bind/named.conf.local', secondary)]),
  ]
  await engine.create({ id: sandbox, deadline: inMinutes(15), topology: { services, readyTimeoutSeconds: 60 } })
  observer = openObserver(engine, sandbox)
  before = await describeStores(observer, stores)
  rowsBefore = await describeRecords(observer, sets)
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('name servers as they were', () => {
  it('hold what their settings say', () => {
    expect(Object.keys(before.ns1?.things ?? {}).sort()).toEqual([
      'answers of ns1 for other zones',
      'answers of ns1 for port.internal',
      'answers of ns2 for other zones',
      'answers of ns2 for port.internal',
      'key registrar of ns1',
      'key transfer of ns1',
      'key transfer of ns2',
      'right of the key registrar to change A of ships.port.internal at ns1',
      'right of the key registrar to change A of what is below ships.port.internal at ns1',
      'right of the key registrar to change TXT of ships.port.internal at ns1',
      'right of the key registrar to change TXT of what is below ships.port.internal at ns1',
      'right of the key transfer to fetch port.internal from ns1',
      'right of the key transfer to fetch port.internal from ns2',
      'what ns1 says of itself',
      'what ns2 says of itself',
    ])
  })

  it('hold again and again, and looking changes nothing', async () => {
    const serial = await shell('ns1', 'dig +short @127.0.0.1 port.internal SOA')
    expect(await observed()).toEqual(unchanged)
    expect(await recorded()).toEqual({ passed: true, saw: 'all zone are there' })
    expect(await shell('ns1', 'dig +short @127.0.0.1 port.internal SOA')).toBe(serial)
  })

  it('may be started again, and names come and go that are tests or left out', async () => {
    await shell(
      'ns1',
      'update "update add eleven.ships.port.internal 1 A 192.0.2.21"; update "update add clock.ships.port.internal 1 TXT now"',
    )
    await shell('ns1', 'service named restart')
    await shell('ns2', 'service named restart')
    expect(await observed()).toEqual(unchanged)
    expect(await recorded()).toMatchObject({ passed: true })
    await shell('ns1', 'update "update delete eleven.ships.port.internal"')
    expect(await recorded()).toMatchObject({ passed: true })
  })
})

/** Where it is done, what is done and undone, and what is told. */
const damages: readonly (readonly [string, 'ns1' | 'ns2', readonly [string, string], RegExp])[] = [
  [
    'transfers to everybody',
    'ns1',
    ["conf local 's/allow-transfer { key transfer; }/allow-transfer { any; }/'", 'unconf local'],
    /right of anybody to fetch port.internal from ns1 is new/,
  ],
  [
    'transfers from the other server',
    'ns2',
    ["conf local 's/allow-transfer { key transfer; }/allow-transfer { any; }/'", 'unconf local'],
    /right of anybody to fetch port.internal from ns2 is new/,
  ],
  [
    'updates of everybody',
    'ns1',
    ["conf local 's/update-policy.*/allow-update { any; };/'", 'unconf local'],
    /right of anybody to change A of port.internal at ns1 is new/,
  ],
  [
    'updates of the whole zone',
    'ns1',
    ["conf local 's/subdomain ships.port.internal. A TXT/zonesub A/'", 'unconf local'],
    /right of the key registrar to change A of port.internal at ns1 is new/,
  ],
  [
    'updates of another type',
    'ns1',
    ["conf local 's/ A TXT;/ A TXT MX;/'", 'unconf local'],
    /right of the key registrar to change MX of .*ships.port.internal at ns1 is new/,
  ],
  [
    'updates by the wrong key',
    'ns1',
    ["conf local 's/grant registrar/grant transfer zonesub TXT; grant registrar/'", 'unconf local'],
    /right of the key transfer to change TXT of port.internal at ns1 is new/,
  ],
  [
    'another secret',
    'ns1',
    [
      'cp /etc/bind/keys/registrar.key /root/key; sed -i \'s/secret.*/secret "c3VwcG9ydA==";/\' /etc/bind/keys/registrar.key; rndc reconfig; sleep 0.5',
      'cat /root/key > /etc/bind/keys/registrar.key; rndc reconfig; sleep 0.5',
    ],
    /key registrar of ns1 is gone/,
  ],
  [
    'answers for the rest of the world',
    'ns2',
    ["conf options 's/recursion no/recursion yes; allow-recursion { any; }/'", 'unconf options'],
    /answers of ns2 for other zones is not as it was/,
  ],
  [
    'another version',
    'ns1',
    ['conf options \'s/recursion no;/& version "none";/\'', 'unconf options'],
    /what ns1 says of itself is not as it was/,
  ],
  [
    'a name that stands for others',
    'ns1',
    ['edit "\\$ a *.ships.port.internal. 1 IN A 192.0.2.66"', "edit '/^\\*/d; /192.0.2.66/d'"],
    /A of \*.ships.port.internal is new/,
  ],
  [
    'a zone that is not served',
    'ns2',
    ["conf local '/^zone/,$d'", 'unconf local; rndc retransfer port.internal; sleep 2'],
    /ns2 does not hand out port.internal to its key/,
  ],
  [
    'a copy that stands still',
    'ns2',
    [
      "conf local 's/type secondary;/type primary;/; /primaries/d; /masterfile-format/d'; sed -i 's/192.0.2.13/192.0.2.99/' $db; rndc reload port.internal; sleep 1",
      'unconf local; service named stop; rm -f $db*; service named start; sleep 2',
    ],
    /ns2 does not hold what ns1 holds of port.internal/,
  ],
]

describe('a damage is told', () => {
  it.each(damages)('%s', async (_name, service, [damage, undo], told) => {
    await shell(service, damage)
    const { passed, saw } = await observed()
    await shell(service, undo)
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await observed()).toEqual(unchanged)
  })
})

describe('a record is told', () => {
  it.each([
    ['that is gone', "edit '/^mail/d'", /1 that were confirmed are not there/],
    ['that says something else', "edit 's/192.0.2.13/192.0.2.14/'", /1 that were confirmed are not there; 1 were asked for by nobody/],
    ['that is valid for longer', 'edit "s/^www.*/www 900 IN CNAME mail/"', /1 are not as they were confirmed/],
    ['that nobody asked for', 'edit "\\$ a spare.port.internal. 300 IN A 192.0.2.70"', /1 were asked for by nobody/],
    [
      'whose name only looks the same',
      'edit "/SRV/d; \\$ a _sip\\\\\\\\._tcp.port.internal. 300 IN SRV 0 5 5060 mail.port.internal."',
      /1 that were confirmed are not there; 1 were asked for by nobody/,
    ],
    ['of the zone itself', "edit 's/604800/30/'", /1 are not as they were confirmed/],
  ])('%s', async (_name, damage, told) => {
    await shell('ns1', `rndc freeze port.internal; sleep 0.3; cp $db /root/zone; rndc thaw port.internal; ${damage}`)
    const { passed, saw } = await recorded()
    await shell('ns1', 'rndc freeze port.internal; sleep 0.3; cat /root/zone > $db; rndc thaw port.internal; sleep 0.5')
    expect({ passed, saw }).toEqual({ passed: false, saw: expect.stringMatching(told) })
    expect(await recorded()).toMatchObject({ passed: true })
  })
})

describe('a name server that does not answer', () => {
  it('fails, and says so', async () => {
    await shell('ns2', 'service named stop')
    expect(await observed()).toMatchObject({
      passed: false,
      saw: expect.stringMatching(/ns2 does not hand out|the data of ns1 cannot be read/),
    })
    await shell('ns2', 'service named start')
  })
})
