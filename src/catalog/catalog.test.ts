import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Catalog, loadCatalog } from './catalog.ts'
import { beginScenario } from './skeleton.ts'

const shipped = join(import.meta.dirname, '../../scenarios')

const yaml = (id: string, service = 'image: ops\n    role: workstation', extra = '') => `
format: 1
id: ${id}
kind: incident
title: A title
tier: beginner
domain: web-server
duration_minutes: 20
stack: [nginx]
description: What is wrong.
learning_objectives: [To see]
symptom: It does not work
impact: Nobody can work
workstation: ops
services:
  web:
    image: nginx
    role: web
  ops:
    ${service}
params:
  port: { int: [8000, 8999] }
fault:
  - { in: web, run: fault/break.sh }
  - confirm: { tcp: { host: web, port: "{{port}}", open: false } }
breaks: [service_recovered]
steps:
  service_recovered: [{ http: { url: "http://web/?n={{nonce}}", expect: { status: 200, body: "{{nonce}}" } } }]
  root_cause_removed: [{ tcp: { host: web, port: 80 } }]
  data_preserved: [{ tcp: { host: web, port: 80 } }]
  safeguards_kept: [{ tcp: { host: web, port: 80 } }]
  survives_restart: { restart: [web], then: [service_recovered] }
  stable_under_load: { seconds: 2, load: { http: [{ url: "http://web/" }], concurrency: 2 }, budget: { error_rate: 0, p95_ms: 500 } }
${extra}`

const broken: Record<string, { content: string; reason: RegExp }> = {
  'not-yaml': { content: 'services: [unclosed\n  : {', reason: /line|flow|sequence|map/i },
  'two-documents': { content: `${yaml('two-documents')}\n---\n${yaml('two-documents')}`, reason: /document/i },
  'empty-file': { content: '', reason: /object/ },
  'unknown-key': { content: yaml('unknown-key', undefined, 'privileged: true'), reason: /privileged/ },
  'unknown-service-key': {
    content: yaml('unknown-service-key', 'image: ops\n    role: x\n    binds: [/:/host]'),
    reason: /services\.ops.*binds/,
  },
  'view-elsewhere': {
    content: yaml('view-elsewhere').replace('role: web', 'role: web\n    view: true'),
    reason: /only the workstation can have a view/,
  },
  'empty-limit': {
    content: yaml('empty-limit').replace('fault:\n', 'fault:\n  - limit: { in: web }\n'),
    reason: /fault/,
  },
  'small-limit': {
    content: yaml('small-limit').replace('fault:\n', 'fault:\n  - limit: { in: web, memory: 1m }\n'),
    reason: /fault/,
  },
  'bad-capability': { content: yaml('bad-capability', 'image: ops\n    role: x\n    caps: [SYS_ADMIN]'), reason: /services\.ops\.caps\.0/ },
  'bad-sysctl': { content: yaml('bad-sysctl', 'image: ops\n    role: x\n    sysctls: { kernel.panic: "1" }'), reason: /kernel/ },
  'climbing-file': {
    content: yaml('climbing-file', 'image: ops\n    role: x\n    files: { /etc/x: ../good/scenario.yaml }'),
    reason: /inside/,
  },
  'absolute-file': { content: yaml('absolute-file', 'image: ops\n    role: x\n    files: { /etc/x: /etc/passwd }'), reason: /inside/ },
  'linked-file': { content: yaml('linked-file', 'image: ops\n    role: x\n    files: { /etc/x: files/link }'), reason: /link/ },
  'linked-folder': {
    content: yaml('linked-folder', 'image: ops\n    role: x\n    files: { /etc/x: files/link/passwd }'),
    reason: /link|inside/,
  },
  'missing-file': { content: yaml('missing-file', 'image: ops\n    role: x\n    files: { /etc/x: files/none }'), reason: /files\/none/ },
  'other-id': { content: yaml('some-id'), reason: /id: some-id is not the name of its folder/ },
  'bad-format': { content: yaml('bad-format').replace('format: 1', 'format: 2'), reason: /format/ },
  'no-workstation': { content: yaml('no-workstation').replace('workstation: ops', 'workstation: desk'), reason: /workstation/ },
  'unknown-name': { content: yaml('unknown-name').replace('{{nonce}}', '{{nonsense}}'), reason: /scenario\.yaml:\d+:\d+ \{\{nonsense\}\}/ },
  'bad-probe': {
    content: yaml('bad-probe').replace('{ tcp: { host: web, port: 80 } }', '{ ping: web }'),
    reason: /scenario\.yaml:\d+:\d+ .*is not a probe/,
  },
  'bad-size': { content: yaml('bad-size', 'image: ops\n    role: x\n    memory: lots'), reason: /services\.ops\.memory/ },
}

const withHelper = '# with checks/words.sh\n. ./words.sh\nsay far\n'

let folder: string
let catalog: Catalog

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-catalog-'))
  await cp(join(shipped, 'scenario-01'), join(folder, 'scenario-01'), { recursive: true })
  const write = async (name: string, content: string) => {
    await mkdir(join(folder, name, 'files'), { recursive: true })
    await mkdir(join(folder, name, 'fault'), { recursive: true })
    await writeFile(join(folder, name, 'scenario.yaml'), content)
    for (const page of ['brief.md', 'debrief.md', 'fault/break.sh']) await writeFile(join(folder, name, page), 'echo {{port}}\n')
  }
  const limited = yaml('limited', 'image: ops-docker\n    role: x\n    view: true').replace(
    'fault:\n',
    'fault:\n  - limit: { in: web, memory: 16m, cpus: 0.1 }\n  - confirm: { container: { in: web, memory_at_least: 64m, up_seconds_at_least: 2 } }\n',
  )
  await write('limited', limited)
  await write('good', yaml('good', 'image: ops\n    role: x\n    caps: [NET_ADMIN]\n    tmpfs: { /data: { size: 2m, inodes: 64 } }'))
  await write('helped', yaml('helped', undefined, 'baseline: { said: { script: { run: checks/say.sh } } }'))
  await mkdir(join(folder, 'helped/checks'))
  await writeFile(join(folder, 'helped/checks/words.sh'), 'say() { echo \'$HOME is\' "$1"; }\n')
  for (const script of ['checks/say.sh', 'fault/break.sh']) await writeFile(join(folder, 'helped', script), withHelper)
  for (const [name, { content }] of Object.entries(broken)) await write(name, content)
  await symlink('/etc/passwd', join(folder, 'linked-file/files/link'))
  await symlink('/etc', join(folder, 'linked-folder/files/link'))
  await mkdir(join(folder, 'no-file'))
  await writeFile(join(folder, 'README.md'), 'not a scenario')
  catalog = await loadCatalog(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the topology of a course', () => {
  it('has the workstation first, and the networks that it has or else one for all', async () => {
    const { scenarios } = await loadCatalog(shipped)
    const topologyOf = (id: string) => scenarios.find((scenario) => scenario.id === id)?.detail.topology
    for (const { containers, detail } of scenarios) expect(detail.topology.services[0]?.name).toBe(containers[0])
    expect(topologyOf('scenario-04')?.networks).toEqual([
      { name: 'edge', services: ['ops', 'lb', 'app1', 'app2', 'app3'] },
      { name: 'data', services: ['ops', 'app1', 'app2', 'app3', 'db'] },
    ])
    expect(topologyOf('scenario-01')?.networks).toEqual([{ name: 'lab', services: ['ops', 'web', 'app', 'db'] }])
  })
})

describe('bad folders', () => {
  it.each(Object.entries(broken))('%s is left out with its reason', (name, { reason }) => {
    const problem = catalog.problems.find((text) => text.startsWith(`${name}: `))
    expect(problem).toMatch(reason)
    expect(() => catalog.find(name)).toThrow('there is no course')
  })

  it('a folder without a scenario is named too; the rest is there, and offered where it was proven', () => {
    expect(catalog.problems.some((text) => text.startsWith('no-file: '))).toBe(true)
    expect(catalog.problems).toHaveLength(Object.keys(broken).length + 1)
    expect(catalog.scenarios.map(({ id }) => id)).toEqual(['scenario-01'])
    expect(catalog.drafts.map(({ id }) => id)).toEqual(['good', 'helped', 'limited'])
    expect(catalog.find('good').proven).toBe(false)
  })
})

describe('good folders', () => {
  it('the workstation comes first, and limits become numbers', () => {
    const scenario = catalog.find('good')
    expect(scenario).toMatchObject({ durationMinutes: 20, containers: ['ops', 'web'], images: ['nginx', 'ops'] })
    const ops = scenario.instantiate('a seed').topology.services.find(({ name }) => name === 'ops')
    expect(ops).toMatchObject({ capabilities: ['NET_ADMIN'], storage: [{ path: '/data', bytes: 2 * 1024 ** 2, inodes: 64 }], init: true })
  })

  it('a view and lowered limits are what they say', () => {
    expect([catalog.find('limited').view, catalog.find('good').view]).toEqual([true, false])
    const [lowered, confirmed] = catalog.find('limited').instantiate('a seed').fault
    expect(lowered).toEqual({ in: 'web', limits: { memoryBytes: 16 * 1024 ** 2, cpus: 0.1 } })
    expect(confirmed).toMatchObject({ confirm: { container: { memory_at_least: 64 * 1024 ** 2, up_seconds_at_least: 2 } } })
  })

  it('a folder of files keeps its tree below the target', () => {
    const web = catalog
      .find('scenario-01')
      .instantiate('a seed')
      .topology.services.find(({ name }) => name === 'web')
    expect(web?.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/etc/nginx/conf.d/harbourline.conf', '/srv/www/index.html', '/srv/www/style.css']),
    )
  })

  it('a seed replays exactly, another draws other parameters, and scripts are filled in', () => {
    const { instantiate } = catalog.find('good')
    const [first, again] = [instantiate('one'), instantiate('one')]
    expect(again.params).toEqual(first.params)
    expect(first.params.port).toBeGreaterThanOrEqual(8000)
    expect(new Set(Array.from({ length: 20 }, (_, index) => instantiate(String(index)).params.port)).size).toBeGreaterThan(5)
    expect(first.fault[0]).toEqual({ in: 'web', script: `echo ${first.params.port}\n` })
    expect(first.fault[1]).toMatchObject({ confirm: { tcp: { port: first.params.port } } })
  })

  it('a check finds its helpers beside it; whatever runs in the sandbox leaves none there', async () => {
    const { baseline, fault } = catalog.find('helped').instantiate('a seed')
    const place = await mkdtemp(join(folder, 'probe-'))
    expect(execFileSync('sh', ['-c', baseline.said?.script ?? ''], { cwd: place, encoding: 'utf8' })).toBe('$HOME is far\n')
    expect(fault[0]).toEqual({ in: 'web', script: withHelper })
  })

  it('every shipped scenario loads', async () => {
    const { problems, scenarios, find } = await loadCatalog(shipped)
    expect(problems).toEqual([])
    expect(scenarios.length).toBeGreaterThan(0)
    expect(find('scenario-01').containers[0]).toBe('ops')
  })

  it('those of an installation stand beside the shipped ones, and replace what has the same id', async () => {
    const own = await mkdtemp(join(tmpdir(), 'incident-lab-own-'))
    try {
      await Promise.all(['scenario-01', 'scenario-00'].map((id) => beginScenario(own, id)))
      const { scenarios, drafts, find } = await loadCatalog(shipped, own)
      expect(drafts.map(({ id }) => id)).toEqual(['scenario-00', 'scenario-01'])
      expect(find('scenario-01').folder).toBe(join(own, 'scenario-01'))
      expect(scenarios.map(({ id }) => id)).toEqual(
        (await loadCatalog(shipped)).scenarios.map(({ id }) => id).filter((id) => id !== 'scenario-01'),
      )
    } finally {
      await rm(own, { recursive: true })
    }
    await expect(loadCatalog(shipped, own)).rejects.toThrow(`the scenarios in ${own} cannot be read`)
  })

  it('names from the language itself are no courses', () => {
    for (const name of ['__proto__', 'constructor', '']) expect(() => catalog.find(name)).toThrow('there is no course')
  })
})
