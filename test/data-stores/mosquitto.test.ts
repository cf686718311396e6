// What grading sees of an MQTT broker: each damage that is done to a real one is told, what does no harm is not, and nobody hears of it.

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
const logins = { 'temp-1': 'quaysideledger', 'temp-2': 'ropeandtackle', ingest: 'coldandcolder', oncall: 'saltandrope' }
let observer: Observer
let before: Record<string, StoreDescription>

const accessList = `user ingest
topic read cold/+/reading
topic write cold/+/set

user oncall
topic read cold/#
topic read state/#
topic read firmware/#
topic read $SYS/#

user temp-1
topic write cold/temp-1/reading
topic read cold/temp-1/set

user temp-2
topic write cold/temp-2/reading
topic read cold/temp-2/set

user owner
topic readwrite #
`
const settings = `listener 1883
allow_anonymous false
password_file /etc/mosquitto/passwd
acl_file /etc/mosquitto/acl
max_inflight_messages 3
log_type all
`

const mosquitto = {
  logins,
  reader: 'oncall',
  topics: ['cold/temp-1/reading', 'cold/temp-1/set', 'cold/temp-2/reading', 'cold/temp-2/set', 'firmware/temp'],
  samples: [{ login: 'temp-1', topic: 'cold/temp-1/reading', message: '{"id": "$nonce", "sample": true}' }],
  revoked: { 'old-temp-1': logins['temp-1'] },
  refused: ['rotatedaway'],
  port: 1883,
}
const storesWith = (topics: readonly string[] = []): DataStore[] =>
  dataStoresOf({ broker: { mosquitto: { ...mosquitto, may_change: { topics: [...topics] } } } })

/** As root, in the machine itself; `reload` returns when the broker has read its lists again. */
const shell = async (text: string): Promise<string> => {
  const program = `set -eu
    log=/var/log/mosquitto/mosquitto.log
    reloads() { grep -c 'Reloading config' "$log" || true; }
    reload() { n=$(reloads); pkill -HUP -x mosquitto; until [ "$(reloads)" -gt "$n" ]; do sleep 0.05; done; }
    account() { mosquitto_passwd -b /etc/mosquitto/passwd "$@"; reload; }
    retain() { mosquitto_pub -h 127.0.0.1 -u owner -P theownersword -r -q 1 "$@"; }
    ${text}`
  const { exitCode, stdout, stderr } = await engine.execDirect(
    { sandbox, service: 'broker' },
    { argv: ['bash', '-c', program], timeoutMs: 20_000, outputBytes: 65_536 },
  )
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout.toString()
}

const unchanged = { passed: true, saw: 'broker is as it was' }
const observed = async (topics: readonly string[] = []) => observeStores(observer, storesWith(topics), before)

beforeAll(async () => {
  await engine.ensureImages(['mosquitto'], () => undefined)
  const accounts = Object.entries({ ...logins, owner: 'theownersword' }).map(([name, password]) => `${name}:${password}\n`)
  const file = (path: string, content: string) => ({ path, content: Buffer.from(content), executable: false })
  const broker = {
    ...bareService('broker', { memoryBytes: 64 * 1024 ** 2, pids: 60 }),
    image: 'mosquitto',
    command: ['mosquitto-machine'],
    files: [
      file('/etc/mosquitto/conf.d/cold.conf', settings),
      file('/etc/mosquitto/acl', accessList),
      file('/etc/mosquitto/accounts.import', accounts.join('')),
    ],
    ready: { tcp: { host: 'broker', port: 1883 } },
  }
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: [broker], readyTimeoutSeconds: 60 } })
  await shell(
    'for n in 1 2; do retain -t cold/temp-$n/set -m "{\\"interval\\": $n}"; done; retain -t firmware/temp -m v7; retain -t state/now -m 1',
  )
  observer = openObserver(engine, sandbox)
  before = await describeStores(observer, storesWith())
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

describe('a broker as it was', () => {
  it('holds, again and again', async () => {
    expect(await observed()).toEqual(unchanged)
    expect(await observed()).toEqual(unchanged)
  })

  it('holds what its lists say', () => {
    expect(Object.keys(before.broker?.things ?? {}).sort()).toEqual([
      'limits of the broker',
      'retained message cold/temp-1/set',
      'retained message cold/temp-2/set',
      'retained message firmware/temp',
      'retained message state/now',
      'right of ingest to publish cold/temp-1/set',
      'right of ingest to publish cold/temp-2/set',
      'right of ingest to publish what is cold/.../set for another',
      'right of ingest to read cold/temp-1/reading',
      'right of oncall to read $SYS/broker/version',
      'right of oncall to read cold/temp-1/reading',
      'right of oncall to read cold/temp-1/set',
      'right of oncall to read cold/temp-2/set',
      'right of oncall to read firmware/temp',
      'right of oncall to read state/now',
      'right of temp-1 to publish cold/temp-1/reading',
      'right of temp-1 to read cold/temp-1/set',
      'right of temp-2 to publish cold/temp-2/reading',
      'right of temp-2 to read cold/temp-2/set',
    ])
  })

  it('may have comments, rules in another order, and be started again', async () => {
    await shell(
      "sed -i '1i # by hand' /etc/mosquitto/acl; sed -i '/^user owner/,$d' /etc/mosquitto/acl; printf '\\nuser owner\\ntopic readwrite #\\n' >> /etc/mosquitto/acl",
    )
    await shell('service mosquitto restart')
    expect(await observed()).toEqual(unchanged)
  })

  it('tells its clients of the samples, and of nothing else that is tried', async () => {
    const listen = shell(
      'touch /tmp/heard; timeout 60 mosquitto_sub -h 127.0.0.1 -u owner -P theownersword -v -R -t "#" -t "firmware/#" > /tmp/heard & echo $!',
    )
    const pid = (await listen).trim()
    await shell(
      `until mosquitto_pub -h 127.0.0.1 -u owner -P theownersword -q 1 -t beginning -m x && grep -q beginning /tmp/heard; do sleep 0.1; done`,
    )
    expect(await observed()).toEqual(unchanged)
    await shell(
      'mosquitto_pub -h 127.0.0.1 -u owner -P theownersword -q 1 -t ending -m x; until grep -q ending /tmp/heard; do sleep 0.1; done',
    )
    const heard = (await shell(`kill ${pid}; cat /tmp/heard`))
      .split('\n')
      .filter((line) => line !== '' && !/^(beginning|ending) /.test(line))
    expect(heard).not.toEqual([])
    for (const line of heard) expect(line).toMatch(/^cold\/temp-1\/reading \{"id": "\w+", "sample": true\}$/)
  })
})

const rule = (who: string, text: string) =>
  [
    `cp /etc/mosquitto/acl /root/acl; sed -i 's|^user ${who}$|&\\n${text}|' /etc/mosquitto/acl; reload`,
    'cat /root/acl > /etc/mosquitto/acl; reload',
  ] as const
const pattern = (text: string) =>
  [
    `cp /etc/mosquitto/acl /root/acl; printf '\\npattern ${text}\\n' >> /etc/mosquitto/acl; reload`,
    'cat /root/acl > /etc/mosquitto/acl; reload',
  ] as const
const setting = (text: string) =>
  [
    `cp /etc/mosquitto/conf.d/cold.conf /root/conf; ${text}; service mosquitto restart`,
    'cat /root/conf > /etc/mosquitto/conf.d/cold.conf; service mosquitto restart',
  ] as const

/** What is done and undone, and what is told. */
const damages: readonly (readonly [string, readonly [string, string], RegExp])[] = [
  [
    'a password that is the name of its login',
    ['account temp-1 temp-1', `account temp-1 ${logins['temp-1']}`],
    /login temp-1 does not work; the broker lets temp-1 in/,
  ],
  ['an obvious password', ['account temp-1 password', `account temp-1 ${logins['temp-1']}`], /lets temp-1 in/],
  [
    'a new account with an easy password',
    ['account admin admin', 'mosquitto_passwd -D /etc/mosquitto/passwd admin; reload'],
    /lets admin in/,
  ],
  [
    'an account that was revoked',
    [`account old-temp-1 ${logins['temp-1']}`, 'mosquitto_passwd -D /etc/mosquitto/passwd old-temp-1; reload'],
    /old-temp-1 works, which was revoked/,
  ],
  [
    'an account that is gone',
    ["sed -i 's/^temp-2:/gone:/' /etc/mosquitto/passwd; reload", "sed -i 's/^gone:/temp-2:/' /etc/mosquitto/passwd; reload"],
    /login temp-2 does not work/,
  ],
  [
    'everybody let in',
    setting("sed -i 's/allow_anonymous false/allow_anonymous true/; /password_file/d' /etc/mosquitto/conf.d/cold.conf"),
    /lets admin in/,
  ],
  [
    'those without a name let in',
    setting("sed -i 's/allow_anonymous false/allow_anonymous true/' /etc/mosquitto/conf.d/cold.conf"),
    /login of \(no name\) is new/,
  ],
  [
    'no list of rights',
    setting("sed -i '/acl_file/d' /etc/mosquitto/conf.d/cold.conf"),
    /right of ingest to publish another topic below cold is new/,
  ],
  [
    'a device that writes firmware',
    rule('temp-1', 'topic write firmware/#'),
    /right of temp-1 to publish another topic below firmware is new/,
  ],
  [
    'a device that writes somewhere else',
    rule('temp-1', 'topic write plant/#\\ntopic write +'),
    /right of temp-1 to publish any other topic is new/,
  ],
  [
    'a device that writes what another should',
    rule('temp-1', 'topic write cold/temp-2/reading'),
    /right of temp-1 to publish cold\/temp-2\/reading is new/,
  ],
  [
    'a device that writes its own settings',
    rule('temp-1', 'topic readwrite cold/temp-1/set'),
    /right of temp-1 to publish cold\/temp-1\/set is new/,
  ],
  [
    'a device that reads what another should',
    rule('temp-1', 'topic read cold/temp-2/set'),
    /right of temp-1 to read cold\/temp-2\/set is new/,
  ],
  ['a device that reads firmware', rule('temp-2', 'topic read firmware/temp'), /right of temp-2 to read firmware\/temp is new/],
  [
    'a device that reads what is not retained',
    rule('temp-2', 'topic read cold/+/reading'),
    /right of temp-2 to read cold\/temp-1\/reading is new/,
  ],
  ['a device that reads how the broker is', rule('temp-2', 'topic read $SYS/#'), /right of temp-2 to read \$SYS/],
  ['a rule by the name of the client', pattern('write cold/%%c/reading'), /to publish what is cold\/...\/reading for another is new/],
  ['a right that is gone', rule('oncall', 'topic deny cold/temp-1/set'), /right of oncall to read cold\/temp-1\/set is gone/],
  [
    'a retained message that says something else',
    ['retain -t cold/temp-1/set -m x', `retain -t cold/temp-1/set -m '{"interval": 1}'`],
    /retained message cold\/temp-1\/set is not as it was/,
  ],
  [
    'a retained message that is gone',
    ['retain -t firmware/temp -n', 'retain -t firmware/temp -m v7'],
    /retained message firmware\/temp is gone/,
  ],
  [
    'a retained message that is new',
    ['retain -t firmware/door -m v0', 'retain -t firmware/door -n'],
    /retained message firmware\/door is new/,
  ],
  [
    'fewer messages at a time',
    setting("sed -i 's/max_inflight_messages 3/max_inflight_messages 2/' /etc/mosquitto/conf.d/cold.conf"),
    /limits of the broker is not as it was/,
  ],
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
  it('is retained below a declared start', async () => {
    before = await describeStores(observer, storesWith(['state/']))
    await shell('retain -t state/now -m 2; retain -t state/then -m 3')
    expect(await observed(['state/'])).toEqual(unchanged)
  })
})

describe('a broker that does not answer', () => {
  it('fails, and says that it cannot be read', async () => {
    await shell('service mosquitto stop')
    expect(await observed()).toMatchObject({ passed: false, saw: expect.stringContaining('the data of broker cannot be read') })
    await shell('service mosquitto start')
  })
})
