import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lintScenario } from './lint.ts'
import { beginScenario } from './skeleton.ts'

let scenarios: string
let folder: string
beforeAll(async () => {
  scenarios = await mkdtemp(join(tmpdir(), 'incident-lab-lint-'))
})
afterAll(() => rm(scenarios, { recursive: true, force: true }))
beforeEach(async () => {
  await rm(join(scenarios, 'scenario-42'), { recursive: true, force: true })
  folder = await beginScenario(scenarios, 'scenario-42')
})

const lint = () => lintScenario(folder, 'scenario-42')

const change = async (name: string, from: string, to: string) => {
  const text = await readFile(join(folder, name), 'utf8')
  expect(text).toContain(from)
  await writeFile(
    join(folder, name),
    text.replace(from, () => to),
  )
}

describe('the skeleton', () => {
  it('has nothing to complain about', async () => {
    expect(await lint()).toEqual([])
  })

  it('does not overwrite an existing scenario', async () => {
    await expect(beginScenario(scenarios, 'scenario-42')).rejects.toThrow('exists already')
  })

  it.each(['Scenario', 'a b', '../up', 'a/b', '', 'x'.repeat(60)])('takes no id like %j', async (id) => {
    await expect(beginScenario(scenarios, id)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

const yaml = 'scenario.yaml'
const entries = '/var/lib/guestbook/entries.jsonl'
type Complained = [what: string, file: string, from: string, to: string, expected: RegExp]

const sign = '- script: { run: checks/sign.sh, env: { NONCE: "{{nonce}}" } }'

/** Mistakes deep inside a probe, told at their own place and with their own reason. */
const nested: [string, string, RegExp][] = [
  [
    'a wrong port inside retry',
    'retry: { within_ms: 500, probe: { tcp: { host: web, port: http } } }',
    /service_recovered\.0\.retry\.probe\.tcp\.port: Invalid input: expected number/,
  ],
  ['a retry without a probe', 'retry: { within_ms: 500 }', /service_recovered\.0\.retry\.probe: /],
  [
    'a short form of a key',
    'retry: { within: 500, probe: { tcp: { host: web, port: 80 } } }',
    /retry\.within: .*did you mean `within_ms`\?/,
  ],
  [
    'a misspelt key inside not',
    'not: { http: { url: "http://web/", expct: { status: 200 } } }',
    /service_recovered\.0\.not\.http\.expct: is not a known key; did you mean `expect`\?/,
  ],
  [
    'a wrong status inside any, inside all',
    'all: [{ any: [{ tcp: { host: web, port: 80 } }, { http: { url: "http://web/", expect: { status: [200, ok] } } }] }]',
    /service_recovered\.0\.all\.0\.any\.1\.http\.expect\.status\.1: Invalid input: expected number/,
  ],
  ['two probes in one', 'tcp: { host: web, port: 80 }\n      dns: { name: web }', /service_recovered\.0: is not a probe .*: tcp, dns$/m],
  [
    'a whole probe beside another',
    'tcp: { host: web, port: 80 }\n      http: { url: "http://web/" }',
    /service_recovered\.0\.http: cannot stand beside tcp$/m,
  ],
  ['a probe without its braces', 'http', /service_recovered\.0: is not a probe .*: http$/m],
  [
    'no probe inside any',
    'any: [{ tpc: { host: web, port: 80 } }]',
    /service_recovered\.0\.any\.0: is not a probe .*: tpc; did you mean `tcp`\?/,
  ],
  [
    'a value of no allowed type',
    'http: { url: "http://web/", expect: { status: fine } }',
    /http\.expect\.status: Invalid input: expected number or array/,
  ],
  ['a key beside a probe', 'tcp: { host: web, port: 80 }\n      within_ms: 500', /service_recovered\.0\.within_ms: is not a known key/],
]

const complaints: Complained[] = [
  ['an id in the brief', 'brief.md', '# Guests', '# scenario-42: Guests', /brief\.md: contains the id/],
  [
    'a cause in the symptom',
    yaml,
    'signing it ends in 500',
    'signing fails due to a changed owner',
    /scenario\.yaml:\d+:\d+ symptom: "due to"/,
  ],
  ['a repair in the description', yaml, 'read it, but', 'read it (the owner has to be changed), but', /description: "has to be changed"/],
  ['the culprit in the brief', 'brief.md', '`/etc/guestbook`,', `\`${entries}\`,`, /brief\.md: names .*entries\.jsonl/],
  [
    'a line of a solution in the brief',
    'brief.md',
    '## What good',
    'chown app:app /var/lib/guestbook/entries.jsonl\n## What good',
    /a line of the fault or of a solution/,
  ],
  [
    'a step that asks the sandbox',
    yaml,
    '- script: { run: checks/sign.sh, env: { NONCE: "{{nonce}}" } }',
    '- exec: { in: app, run: "echo {{nonce}}" }',
    /\(exec\)/,
  ],
  [
    'a step that believes a log',
    yaml,
    `path: ${entries}, expect: { uid: 900 }`,
    'path: /var/log/guestbook/error.log, expect: { contains: fine }',
    /trusts \/var\/log/,
  ],
  [
    'a pattern where text is compared',
    yaml,
    `path: ${entries}, expect: { uid: 900 }`,
    `path: ${entries}, expect: { lacks: 'user\\s*=' }`,
    /a pattern belongs to matches or lacks_matches/,
  ],
  [
    'a pattern that is none',
    yaml,
    `path: ${entries}, expect: { uid: 900 }`,
    `path: ${entries}, expect: { matches: '(open' }`,
    /a regular expression/,
  ],
  ['a program from nowhere', yaml, 'must_run: [/usr/sbin/nginx]', 'must_run: [/srv/bin/nginx]', /not in a folder of Debian packages/],
  [
    'a file that nobody watches',
    yaml,
    '    intact: [/etc/guestbook, /srv]\n',
    '    intact: [/srv]\n',
    /scenario\.yaml:\d+:\d+ \/etc\/guestbook\/[\w.]+ is neither intact nor in settings nor in may_change/,
  ],
  [
    'a setting that may have any value',
    yaml,
    '    intact: [/etc/guestbook, /srv]\n',
    "    intact: [/etc/guestbook, /srv]\n    settings: { /etc/guestbook/gunicorn.conf.py: 'workers = \\d+' }\n",
    /scenario\.yaml:\d+:\d+ lets any number pass: write .* or <1-60>/,
  ],
  ['no nonce', yaml, 'env: { NONCE: "{{nonce}}" }', 'env: { NONCE: "1" }', /no \{\{nonce\}\}/],
  ['no comparison with the baseline', yaml, '"{{baseline.entries}}"', '"x"', /no \{\{baseline/],
  ['a restarted stub', yaml, '    must_run: [/usr/bin/python3.11]\n', '', /app is restarted and has no must_run/],
  [
    'safeguards that are not looked at again',
    yaml,
    'then: [service_recovered, data_preserved, safeguards_kept]',
    'then: [service_recovered]',
    /does not repeat safeguards_kept/,
  ],
  [
    'a window beyond the limit',
    yaml,
    '- script: { run: checks/sign.sh, env: { NONCE: "{{nonce}}" } }',
    '- retry: { within_ms: 20000, probe: { script: { run: checks/sign.sh, env: { NONCE: "{{nonce}}" } } } }',
    /could take 49 s; the limit is 45 s/,
  ],
  [
    'a window shorter than what comes back',
    yaml,
    'baseline:\n',
    'recurring: [{ in: app, what: the bot, every_seconds: 3 }]\nbaseline:\n',
    /the bot comes every 3 s/,
  ],
  [
    'writes that are compared with nothing',
    yaml,
    'rate: 2 }',
    'rate: 2, writes: { entries: ["{{nonce}}", x] } }',
    /there are no records of entries/,
  ],
  [
    'writes of which nobody says what holds them',
    yaml,
    '      rate: 0.2\n',
    '      rate: 0.2\n      writes: { entries: ["guest-{{nonce}}", x] }\nrecords: { entries: { rows: { script: { run: checks/first-entries.sh } } } }\n',
    /has no kill, and records are read by scripts only/,
  ],
  ['a kill of what there is not', yaml, 'survives_restart: {', 'survives_restart: { kill: [data],', /there is no service data/],
  ['a kill that nobody notices', yaml, 'survives_restart: {', 'survives_restart: { kill: [app],', /no act says what it writes/],
  [
    'a provocation of what there is not',
    yaml,
    'stable_under_load:\n',
    'stable_under_load:\n    provoke: [{ kill: data }]\n',
    /there is no service data/,
  ],
  [
    'records in no data store',
    yaml,
    'baseline:\n',
    'records: { entries: { rows: { in: app, query: "SELECT 1" } } }\nbaseline:\n',
    /app is none of data_stores that can be queried/,
  ],
  [
    'an actor in no service',
    yaml,
    'baseline:\n',
    'recurring: [{ in: bot, what: the bot, every_seconds: 1 }]\nbaseline:\n',
    /no service bot/,
  ],
  [
    'a member of a data store that is no service',
    yaml,
    'baseline:\n',
    'data_stores: { app: { redis: { members: [app, apps] } } }\nbaseline:\n',
    /there is no service apps/,
  ],
  [
    'hints that follow nothing',
    yaml,
    `  - when: { not: { file: { in: app, path: ${entries}, expect: { uid: 900 } } } }\n    text:`,
    '  - text:',
    /no hint has a when/,
  ],
  [
    'an unknown name in a cheat',
    'cheats/open-to-all.yaml',
    '0666',
    '{{mode}}',
    /open-to-all\.yaml:\d+:\d+ \{\{mode\}\} is not a parameter/,
  ],
  ['an unknown name in a file', 'files/web/guestbook.conf', 'listen 80', 'listen {{prot}}', /guestbook\.conf:\d+:\d+ \{\{prot\}\} is not/],
  ['an unknown service in a cheat', 'cheats/open-to-all.yaml', 'in: app', 'in: apps', /open-to-all\.yaml:\d+:\d+ there is no service apps/],
  [
    'an unknown service among others',
    'cheats/open-to-all.yaml',
    'in: app',
    'in: [app, apps]',
    /open-to-all\.yaml:\d+:\d+ there is no service apps/,
  ],
  [
    'an unknown solution in a cheat',
    'cheats/open-to-all.yaml',
    'fails:',
    'after: refrence\nfails:',
    /open-to-all\.yaml:2:8 there is no solution refrence/,
  ],
  ['an unknown key in a solution', 'solutions/reference.yaml', 'steps:', 'step:', /reference\.yaml:\d+:\d+ step: is not a known key/],
  [
    'an image that there is not',
    yaml,
    'image: nginx',
    'image: nginxx',
    /scenario\.yaml:\d+:\d+ there is no image nginxx; there are .*nginx/,
  ],
  [
    'a script that there is not',
    yaml,
    'run: checks/sign.sh',
    'run: checks/singe.sh',
    /scenario\.yaml:\d+:\d+ checks\/singe\.sh does not exist/,
  ],
  ['a script that nothing uses', yaml, 'run: checks/sign.sh', 'run: checks/first-entries.sh', /checks\/sign\.sh:1:1 is not used/],
  ['a helper that there is not', 'checks/sign.sh', '# ', '# with checks/book.py\n# ', /checks\/book\.py does not exist/],
  [
    'a machine that there is not',
    'brief.md',
    '| `web` |',
    '| `webb` |',
    /brief\.md:\d+:\d+ brief\.md: names a machine webb that does not exist/,
  ],
  ['a script that is none', 'fault/break.sh', 'set -eu', 'if then', /break\.sh/],
  [
    'a fault in a service that there is not',
    yaml,
    '- { in: app, run: fault/break.sh }',
    '- { in: [app, bot], run: fault/break.sh }',
    /no service bot/,
  ],
  [
    'a fault step that is none',
    yaml,
    '- { in: app, run: fault/break.sh }',
    '- { at: app, run: fault/break.sh }',
    /fault\.0: must be one of/,
  ],
  ['a readiness that is none', yaml, 'ready: { http:', 'ready: { htpp:', /web\.ready: must be one of http, tcp; did you mean `http`\?/],
  [
    'a misspelt key of a fault step',
    yaml,
    '- { in: app, run: fault/break.sh }',
    '- { in: app, rnu: fault/break.sh }',
    /fault\.0\.rnu: is not a known key; did you mean `run`\?/,
  ],
  [
    'a limit that is none',
    yaml,
    '- { in: app, run: fault/break.sh }',
    '- { in: app, run: fault/break.sh }\n  - limit: { in: app, memory: 2m }',
    /fault\.1\.limit\.memory: must be at least 8m/,
  ],
  [
    'a part of a probe that is wrong',
    yaml,
    '- listener: { in: app, port: 8000,',
    '- listener: { in: app, port: eight,',
    /safeguards_kept\.1(: |\.)listener\.port: Invalid input: expected number/,
  ],
  ['a probe that is none', yaml, '- listener:', '- listner:', /scenario\.yaml:\d+:\d+ .*is not a probe.*; did you mean `listener`\?/],
  ...nested.map(([what, probe, expected]): Complained => [what, yaml, sign, `- ${probe}`, expected]),
]

it.each(complaints)('complains about %s', async (_, file, from, to, expected) => {
  await change(file, from, to)
  const found = await lint()
  expect(found.join('\n')).toMatch(expected)
})

it('takes a parameter that is a number where a text stands, and one fault for several services', async () => {
  await change(yaml, 'env: { NONCE: "{{nonce}}" }', 'env: { NONCE: "{{nonce}}", DOOR: "{{door}}" }')
  await change(yaml, 'params:\n', 'params:\n  door: { int: [8000, 8999] }\n')
  await change(yaml, '- { in: app, run: fault/break.sh }', '- { in: [app], run: fault/break.sh }')
  expect(await lint()).toEqual([])
})

it('wants three cheats and a reference', async () => {
  await rm(join(folder, 'cheats/new-book.yaml'))
  await rm(join(folder, 'cheats/lazy-restart.yaml'))
  await rm(join(folder, 'solutions/reference.yaml'))
  const found = (await lint()).join('\n')
  expect(found).toMatch(/cheats: 2 cheats/)
  expect(found).toMatch(/no reference\.yaml/)
})

it('tells a mistake once, at its line', async () => {
  await change(yaml, sign, '- retry: { within_ms: 500, probe: { http: { url: "http://web/", expct: { status: 200 } } } }')
  const line = (await readFile(join(folder, yaml), 'utf8')).split('\n').findIndex((text) => text.includes('expct')) + 1
  expect(await lint()).toEqual([
    expect.stringMatching(new RegExp(`scenario\\.yaml:${line}:\\d+ steps\\.service_recovered\\.0\\.retry\\.probe\\.http\\.expct: is not`)),
  ])
})
