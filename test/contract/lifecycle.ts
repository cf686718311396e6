import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { ServiceSpec } from '../../src/engine/topology.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes, inspect, script, useSandbox } from './fixture.ts'

const address = /^\d+\.\d+\.\d+\.\d+$/
const idsOf = async (engine: Engine) => (await engine.list()).map(({ id }) => id)

export const lifecycleCases = (engine: Engine) => {
  describe('while it lives', () => {
    const services = [bareService('one'), bareService('two'), bareService('done', { command: ['sh', '-c', 'exit 3'] })]
    const { id, deadline, at, stateOf, read } = useSandbox(engine, services)

    it('is described: services, addresses, images, deadline', async () => {
      const state = await engine.describe(id)
      expect(state).toMatchObject({ id, deadline })
      expect(state?.services.map(({ name }) => name).sort()).toEqual(['done', 'one', 'two'])
      const [one, two] = [await stateOf('one'), await stateOf('two')]
      expect(one).toMatchObject({ running: true, exitCode: null, addresses: [expect.stringMatching(address)] })
      expect(two).toMatchObject({ running: true, exitCode: null, addresses: [expect.stringMatching(address)] })
      expect(one?.addresses).not.toEqual(two?.addresses)
      expect(one?.imageId).toBeTruthy()
      expect(one?.imageId).toBe(two?.imageId)
    })

    it('reports how a main command has ended', async () => {
      await expect.poll(() => stateOf('done')).toMatchObject({ running: false, exitCode: 3, addresses: [] })
    })

    it('tells when a service has stopped and started, as long as somebody listens', async () => {
      let [calls, others] = [0, 0]
      const end = engine.onServiceChange(id, () => {
        calls += 1
      })
      const endOther = engine.onServiceChange(createId(), () => {
        others += 1
      })
      await expect.poll(() => calls + others).toBeGreaterThan(1) // both are told to look when the connection is there
      const [before, othersBefore] = [calls, others]
      await engine.restart(at('two'))
      await expect.poll(() => calls).toBeGreaterThanOrEqual(before + 2)
      expect(others).toBe(othersBefore)
      end()
      endOther()
      const after = calls
      await engine.restart(at('two'))
      expect(calls).toBe(after)
    })

    it('is listed with its deadline', async () => {
      const summary = (await engine.list()).find((entry) => entry.id === id)
      expect(summary).toMatchObject({ id, deadline })
      expect(summary?.createdAt.getTime()).toBeLessThan(deadline.getTime())
    })

    it('keeps its deadline while it is inspected', async () => {
      let busy = true
      const inspection = inspect(engine, at('one'), ['sh', '-c', 'sleep 0.5']).finally(() => {
        busy = false
      })
      while (busy) {
        expect((await engine.describe(id))?.deadline).toEqual(deadline)
        expect((await engine.list()).find((entry) => entry.id === id)?.deadline).toEqual(deadline)
      }
      await inspection
    })

    it('lets services find each other by name', async () => {
      const two = (await stateOf('two'))?.addresses[0]
      expect(await read('one', 'getent hosts two')).toMatch(new RegExp(`^${two}\\s+two`))
      expect(await read('one', 'getent hosts one')).toContain((await stateOf('one'))?.addresses[0])
      expect(await read('two', 'hostname')).toBe('two\n')
    })

    it('is not touched when another one is destroyed', async () => {
      await engine.destroy(createId())
      expect(await stateOf('one')).toMatchObject({ running: true })
    })
  })

  describe('when it is destroyed', () => {
    const create = async () => {
      const id = createId()
      const services = [bareService('one', { storage: [{ path: '/data', bytes: 1024 ** 2 }] })]
      await engine.create({ id, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 10 } })
      return id
    }

    it('nothing of it is left, and everything about it is not found', async () => {
      const id = await create()
      const target = { sandbox: id, service: 'one' }
      await engine.destroy(id)
      expect(await engine.describe(id)).toBeNull()
      expect(await idsOf(engine)).not.toContain(id)
      await expect(engine.exec(target, script('true'))).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.openInspector(target, ['true'])).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.restart(target)).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.kill(target)).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.terminal(target, { argv: ['sh'], columns: 80, rows: 24 })).rejects.toMatchObject({ code: 'not_found' })
      await expect(engine.openProbe(id, ['true'])).rejects.toMatchObject({ code: 'not_found' })
    })

    it('running commands end, several may ask for it, and it can be looked at meanwhile', async () => {
      const id = await create()
      const target = { sandbox: id, service: 'one' }
      const outcome = engine.exec(target, script('sleep 600; true', { timeoutMs: 60_000 })).then(
        (result) => result.exitCode,
        (error: { code: string }) => error.code,
      )
      await expect.poll(async () => (await engine.exec(target, script('pgrep -fx "sleep 600"'))).exitCode).toBe(0)
      let gone = false
      const removals = Promise.all([engine.destroy(id), engine.destroy(id)]).then(() => {
        gone = true
      })
      while (!gone) expect([id, undefined]).toContain((await engine.describe(id))?.id)
      await removals
      expect(await outcome).not.toBe(0)
      expect(await engine.describe(id)).toBeNull()
      await engine.destroy(id)
      expect(await idsOf(engine)).not.toContain(id)
    })

    it('an id that never was is fine', async () => {
      await engine.destroy(createId())
      expect(await engine.describe(createId())).toBeNull()
    })
  })

  describe('when it cannot be created', () => {
    const crowd = Array.from({ length: 64 }, (_, index) => bareService(`s${index}`))
    const never = bareService('one', { command: ['true'], ready: { tcp: { host: 'one', port: 9 } } })
    const wrong = bareService('one', {
      command: ['python3', '-m', 'http.server'],
      ready: { http: { url: 'http://one:8000/', status: 204 } },
    })
    const cases: [string, ServiceSpec[]][] = [
      ['an image that does not exist', [bareService('fine'), bareService('one', { image: 'no-such-image' })]],
      ['a main command that does not exist', [bareService('fine'), bareService('one', { command: ['/no/such/program'], init: false })]],
      ['a service that ends before it is ready', [never]],
      ['a service that answers otherwise', [wrong]],
      ['too many services', crowd],
      ['a kernel setting that does not exist', [bareService('fine'), bareService('one', { sysctls: { 'net.ipv4.no_such_setting': '1' } })]],
      ['the same name twice', [bareService('one'), bareService('one')]],
      ['storage at no absolute path', [bareService('one', { storage: [{ path: 'data', bytes: 1024 ** 2 }] })]],
    ]

    it.concurrent.each(cases)('%s: one error, nothing left', async (_, services) => {
      const id = createId()
      await expect(engine.create({ id, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 1 } })).rejects.toMatchObject({
        code: 'sandbox_start_failed',
      })
      expect(await engine.describe(id)).toBeNull()
      expect(await idsOf(engine)).not.toContain(id)
    })
  })
}
