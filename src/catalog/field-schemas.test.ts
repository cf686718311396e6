import { expect, it } from 'vitest'
import { environment, insidePath, pattern, port, serviceName, url } from '../probes/field-schemas.ts'
import { Probe } from './probe-file.ts'

it.each([
  ['a service', serviceName, ['web', 'kv-1'], ['', 'Web', '1web', 'a.b', 'a'.repeat(32)]],
  ['a port', port, [1, 65_535], [0, 65_536, 8.5, '80']],
  ['a path inside the folder', insidePath, ['checks/a.sh', 'a..b'], ['/etc', '../a', 'a/../../b']],
  ['an address', url, ['http://web/', 'http://api:8000/a?b={{ nonce }}'], ['http://web', 'https://web/', 'http:///a', 'web/']],
  ['a pattern', pattern, ['^a$', '\\d'], ['', '(']],
  ['an environment', environment, [{ A_1: 2 }, {}], [{ 'A=B': '' }, { '1A': '' }, { A: null }]],
])('knows %s', (_, schema, good, bad) => {
  for (const value of good) expect([value, schema.safeParse(value).success]).toEqual([value, true])
  for (const value of bad) expect([value, schema.safeParse(value).success]).toEqual([value, false])
})

it('is as strict in a probe as in the rest of the file', () => {
  const accepts = (probe: unknown) => Probe.safeParse(probe).success
  expect(accepts({ tcp: { host: 'web', port: 80 } })).toBe(true)
  expect(accepts({ tcp: { host: 'Web!', port: 80 } })).toBe(false)
  expect(accepts({ listener: { in: 'web', port: 70_000, executable: '/bin/web' } })).toBe(false)
  expect(accepts({ file: { in: 'web', path: '/a\0b', expect: {} } })).toBe(false)
  expect(accepts({ file: { in: 'web', path: '/a', expect: { matches: '' } } })).toBe(false)
  expect(accepts({ script: { run: 'checks/a.sh', env: { 'A=B': '1' } } })).toBe(false)
})
