import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { leafOf, probeKinds } from './probe-kinds.ts'

it('finds every kind by its place', () => {
  const files = readdirSync(join(import.meta.dirname, 'kinds')).map((name) => name.replace(/\.ts$/, ''))
  expect([...probeKinds.keys()]).toEqual(files.sort())
  expect([...probeKinds.values()].every(({ looksAt, schema }) => looksAt.length > 0 && schema !== undefined)).toBe(true)
})

it('knows a leaf by its only key', () => {
  const { name, kind, spec } = leafOf({ script: { run: 'checks/a.sh', input: { in: 'app', path: ['/etc/app.conf'] } } })
  expect([name, kind.scripts?.(spec), kind.reads?.(spec)]).toEqual(['script', ['checks/a.sh'], ['/etc/app.conf']])
  expect(() => leafOf({ toString: 1 })).toThrow('toString is not a kind of probe')
})

it('believes no content where only the owner of a file is asked for', () => {
  const reads = (expected: object) => {
    const { kind, spec } = leafOf({ file: { in: 'app', path: '/etc/app.conf', expect: expected } })
    return kind.reads?.(spec)
  }
  expect([reads({ uid: 0 }), reads({ contains: ['x'] })]).toEqual([[], ['/etc/app.conf']])
})
