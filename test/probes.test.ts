// Probes that no scenario uses yet, on a real sandbox.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Probe } from '../src/catalog/probe-file.ts'
import { type Observer, openObserver } from '../src/grading/observer.ts'
import { observe } from '../src/grading/probe-tree.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const { engine, cleanUp } = createTestEngine()
const sandbox = createId()
let observer: Observer

beforeAll(async () => {
  await engine.ensureImages([], () => undefined)
  const storage = [{ path: '/var/spool/app', bytes: 1024 ** 2 }]
  const services = [bareService('web'), bareService('app', { memoryBytes: 64 * 1024 ** 2, pids: 40, storage })]
  await engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 30 } })
  observer = openObserver(engine, sandbox)
})
afterAll(async () => {
  await observer?.close()
  await cleanUp()
})

const holds = async (probe: unknown, script = '') =>
  (await observe(Probe.parse(probe), { observer, scriptText: () => script, values: {} })).passed

describe('dns', () => {
  it('knows services by name, and which of them it is', async () => {
    expect(await holds({ dns: { name: 'web' } })).toBe(true)
    expect(await holds({ dns: { name: 'web', expect: { service: 'web' } } })).toBe(true)
    expect(await holds({ dns: { name: 'web', expect: { service: 'app' } } })).toBe(false)
    expect(await holds({ dns: { name: 'web', expect: { answers: '192.0.2.7' } } })).toBe(false)
  })

  it('a server that does not answer is no answer', async () => {
    expect(await holds({ dns: { name: 'web', server: 'app' } })).toBe(false)
    expect(await holds({ dns: { name: 'web', server: 'app', expect: { exists: false } } })).toBe(false)
  })
})

describe('script', () => {
  it('reads the sized storage of services', async () => {
    const argv = ['sh', '-c', 'echo letter > /var/spool/app/letter']
    await engine.execDirect({ sandbox, service: 'app' }, { argv, stdin: '', timeoutMs: 10_000, outputBytes: 1024 })
    const script = { run: 'checks/letter.sh', expect: { stdout: 'letter' } }
    expect(await holds({ script }, 'cat /hold/app/0/letter')).toBe(true)
    expect(await holds({ script }, 'cat /hold/app/0/other')).toBe(false)
  })
})

describe('powers', () => {
  it('finds setuid programs and file capabilities', async () => {
    const plant = 'cp /bin/sh /var/tmp/lifted; chmod 4755 /var/tmp/lifted; cp /bin/sh /var/tmp/plain; ln -s lifted /var/tmp/link'
    await engine.execDirect({ sandbox, service: 'app' }, { argv: ['sh', '-c', plant], stdin: '', timeoutMs: 10_000, outputBytes: 1024 })
    const paths = ['/var/tmp/lifted', '/var/tmp/plain', '/var/tmp/link', '/var/tmp/none', '/var/tmp']
    expect(await observer.inspect('app', { inspection: 'powers', paths }, z.object({ paths: z.array(z.string()) }))).toMatchObject({
      paths: ['/var/tmp/lifted'],
    })
  })
})

describe('container', () => {
  it('reports the current limits', async () => {
    const container = { in: 'app', memory_at_least: '64m', pids_at_least: 40 }
    expect(await holds({ container })).toBe(true)
    expect(await holds({ container: { ...container, memory_at_least: '65m' } })).toBe(false)
    await engine.limit({ sandbox, service: 'app' }, { pids: 30 })
    expect(await holds({ container })).toBe(false)
  })

  it('reports how long it has been up', async () => {
    expect(await holds({ container: { in: 'app', up_seconds_at_least: 600 } })).toBe(false)
    expect(await holds({ container: { in: 'app', running: false } })).toBe(false)
  })
})
