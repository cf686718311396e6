import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { loadScenario } from '../../catalog/scenario.ts'
import { root } from '../../project-folders.ts'
import { harmlessKinds } from '../fairness/harmless-kinds.ts'
import { damageKinds } from '../mutations/damage-kinds.ts'
import { directivesOf } from '../mutations/directives.ts'
import type { Change, ChangeKind, Subject } from './change-kind.ts'
import { candidatesOf, orderOf } from './draw.ts'
import type { DatabaseSeen, ServiceSeen } from './inventory-schema.ts'
import { pickSome, randomFrom } from './random.ts'
import { identifier, literal, psql, quote, replaceLine } from './shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'incident-lab-changes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scenario = await loadScenario(join(root, 'scenarios/scenario-03'), 'scenario-03')
const tools = ['redis-cli', 'rabbitmqctl', 'etcdctl', 'mosquitto', 'rndc', 'supervisord', 'runsvdir', 'python3']

const database = (name: string): DatabaseSeen => ({
  ...{ service: 'db', database: name, logins: ['clerk'], refused: ['old'] },
  tables: [
    {
      ...{ schema: 'public', name: `${name}s`, empty: false },
      columns: [
        { name: 'id', type: 'bigint', nullable: false, default: "nextval('x')", primary: true, unique: true },
        { name: 'note', type: 'text', nullable: false, default: "''", primary: false, unique: false },
      ],
    },
  ],
  sequences: [{ schema: 'public', name: `${name}_id_seq` }],
  constraints: [
    { schema: 'public', table: `${name}s`, name: 'positive', type: 'c' },
    { schema: 'public', table: `${name}s`, name: 'single', type: 'u' },
  ],
  indexes: [{ schema: 'public', table: `${name}s`, name: 'by_note', unique: true }],
  triggers: [{ schema: 'public', table: `${name}s`, name: 'audit' }],
  roles: [
    { name: 'clerk', login: true, superuser: false },
    { name: 'postgres', login: true, superuser: true },
  ],
})

/** A scenario as it would be seen, with a store of every kind on each machine, or of one. */
const subjectWith = (seed: string, name = 'order', found = tools): Subject => {
  const instance = scenario.instantiate(seed)
  const services = instance.topology.services.map(({ name: service, files }): [string, ServiceSeen] => [
    service,
    {
      files: files.map(({ path, content }) => ({ path, uid: 0, mode: '640', text: content.toString() })),
      logs: [`/var/log/${name}/app.log`],
      jobs: ['/etc/cron.d/copy'],
      dataFolders: ['/var/lib/store'],
      ...{ tools: found, processes: [], contents: [`${name} key`] },
    },
  ])
  return {
    instance,
    workstation: 'ops',
    repair: [{ in: 'db', run: 'true' }],
    solutions: [{ name: 'reference', steps: [{ in: 'db', run: 'true' }] }],
    seen: { services: Object.fromEntries(services), databases: [database(name)] },
  }
}

const scriptsOf = (changes: readonly Change[]) => changes.flatMap(({ steps }) => steps.flatMap((step) => ('run' in step ? [step.run] : [])))

describe.each([
  ['damages', damageKinds, 18],
  ['harmless changes', harmlessKinds, 6],
] as [string, ReadonlyMap<string, ChangeKind>, number][])('%s', (_, kinds, classes) => {
  const subject = subjectWith('one')
  const candidates = candidatesOf(kinds, subject, 'one')

  it('has every class, and none that is empty', () => {
    expect(kinds.size).toBe(classes)
    expect([...new Set(candidates.map((change) => change.class))]).toEqual([...kinds.keys()])
  })

  it('names each once, and does something on machines that there are', () => {
    expect(new Set(candidates.map(({ name }) => name)).size).toBe(candidates.length)
    const machines = Object.keys(subject.seen.services)
    expect(candidates.filter(({ steps }) => steps.length === 0)).toEqual([])
    expect(
      candidates.flatMap(({ steps }) => steps).filter((step) => !machines.includes('restart' in step ? step.restart : step.in)),
    ).toEqual([])
  })

  it('is drawn in the same order for the same seed, and in another for another', () => {
    const names = (seed: string) => orderOf(candidatesOf(kinds, subject, seed), seed).map(({ name }) => name)
    expect(names('one')).toEqual(names('one'))
    expect(names('one')).not.toEqual(names('two'))
  })

  it('is drawn of all classes alike, for every seed', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const first = orderOf(candidates, seed).slice(0, classes)
        expect(new Set(first.map((change) => change.class)).size).toBe(classes)
      }),
      { numRuns: 20 },
    )
  })

  it('can be narrowed to one by its name, with what it did before', () => {
    for (const change of orderOf(candidates, 'one').slice(0, 2 * classes))
      expect(orderOf(candidates, 'one', change.name)).toContainEqual(change)
  })

  it('is made of scripts that sh can read, whatever things are called', () => {
    const strange = candidatesOf(kinds, subjectWith('one', `it's "a" $(name) \`x\` \\`), 'one')
    const file = join(folder, 'scripts.sh')
    writeFileSync(file, scriptsOf([...candidates, ...strange]).join('\n'))
    expect(execFileSync('sh', ['-n', file], { stdio: 'pipe' }).toString()).toBe('')
  })
})

describe('what a class does', () => {
  const names = candidatesOf(damageKinds, subjectWith('one'), 'one').map(({ name }) => name)

  it.each([
    'rows: db: public.orders: the last row is deleted',
    'rows: db: public.orders: a row of a customer is doubled',
    'sequences: db: public.order_id_seq: begins again',
    'schema: db: constraint positive of orders is dropped',
    'schema: db: unique index by_note becomes a plain one',
    'schema: db: trigger audit of orders is disabled',
    'schema: db: default of orders.note is dropped',
    'schema: db: constraint single of orders is not enforced',
    'schema: db: an index of orders fails for rows from some number on',
    'schema: db: a new table keeps rows of orders from being deleted',
    'rights: db: everybody may do everything with orders by a view',
    'rights: db: everybody may read a copy of orders',
    'passwords: db: role postgres has its name as password',
    'passwords: db: role postgres has old password 1',
    'durability: db: synchronous_commit is off for clerk',
    'volatile: db: public.orders is not logged',
    'logs: worker: /var/log/order/app.log leads to nowhere',
    'jobs: worker: job /etc/cron.d/copy is removed',
  ])('knows %s', (name) => expect(names).toContain(name))

  it.each([
    ['rabbitmq', 'rabbitmqctl', ['contents', 'limits', 'durability', 'rights', 'passwords', 'access']],
    ['etcd', 'etcdctl', ['contents']],
    ['bind', 'rndc', ['contents', 'limits', 'durability', 'rights', 'access', 'members']],
  ])('damages %s in two ways at least of each class', (store, tool, classes) => {
    const own = candidatesOf(damageKinds, subjectWith('one', 'order', [tool]), 'one')
    for (const name of classes)
      expect(own.filter((change) => change.class === name && change.name.includes(` worker: ${store}`)).length, name).toBeGreaterThan(1)
  })

  it('leaves the own machine of the user alone', () => {
    expect(names.filter((name) => / ops: /.test(name))).toEqual([])
  })

  it('drops syncs, swallows errors and turns promises round where code may change', () => {
    const code = names.filter((name) => name.startsWith('code: '))
    for (const what of ['does not sync', 'does not lock', 'swallows', 'is left out', 'comes after the next one'])
      expect(
        code.filter((name) => name.includes(what)),
        what,
      ).not.toEqual([])
  })
})

describe('one line of a file', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !/[\0\n\r]/.test(value) && value === Buffer.from(value).toString())

  it('is replaced for every line, and nothing else', () => {
    const file = join(folder, `it's a $file`)
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.nat(), text, (lines, at, after) => {
        const index = at % lines.length
        writeFileSync(file, `${lines.join('\n')}\n`)
        execFileSync('sh', ['-s'], { input: replaceLine(file, index + 1, lines[index] as string, after), stdio: 'pipe' })
        expect(readFileSync(file, 'utf8')).toBe(`${lines.with(index, after).join('\n')}\n`)
      }),
      { numRuns: 25 },
    )
  })

  it('is not replaced where something else stands there', () => {
    const file = join(folder, 'other')
    writeFileSync(file, 'a\nb\n')
    expect(() => execFileSync('sh', ['-s'], { input: replaceLine(file, 2, 'c', 'd'), stdio: 'pipe' })).toThrow()
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n')
    execFileSync('sh', ['-s'], { input: replaceLine(file, 1, 'a', undefined), stdio: 'pipe' })
    expect(readFileSync(file, 'utf8')).toBe('b\n')
  })

  it('is a directive with a value, not a comment and not the opening of a block', () => {
    const found = directivesOf('/etc/a.conf', '# timeout 5\nserver {\n    timeout 5s;\n    keep on;\n}\n')
    expect(found.map(({ line, after }) => [line, after])).toEqual([
      [3, undefined],
      [3, '    timeout 500s;'],
      [4, undefined],
      [4, '    keep off;'],
    ])
    expect(directivesOf('/srv/www/index.html', 'a = 1')).toEqual([])
  })
})

describe('quoting', () => {
  it('gives sh every text as one word', () => {
    fc.assert(
      fc.property(
        fc.string().filter((value) => !value.includes('\0')),
        (value) => {
          expect(execFileSync('sh', ['-c', `printf %s ${quote(value)}`]).toString()).toBe(value)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('keeps names and strings of PostgreSQL in one piece', () => {
    expect(identifier('a"b')).toBe('"a""b"')
    expect(literal("a'b")).toBe("'a''b'")
    expect(psql("it's", "SELECT 'x'")).toContain("-d 'it'\\''s' -c 'SELECT '\\''x'\\'''")
  })
})

it('a choice depends on its seed and its key, and on nothing else', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.integer()), fc.nat(5), (seed, key, values, count) => {
      expect(randomFrom(seed)(key)).toBe(randomFrom(seed)(key))
      const some = pickSome(randomFrom(seed), key, values, count)
      expect(some).toHaveLength(Math.min(count, values.length))
      expect(some).toEqual(pickSome(randomFrom(seed), key, values, count))
    }),
  )
})
