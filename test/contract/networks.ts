import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes, inProbe, viewSandbox } from './fixture.ts'

const listening = ['python3', '-m', 'http.server', '8000']
const networks = [
  { name: 'front', services: ['web', 'app'] },
  { name: 'back', services: ['app', 'store'] },
]

/** A sandbox of two networks, with one service on both. */
export const networkCases = (engine: Engine) => {
  const [id, deadline] = [createId(), inMinutes(10)]
  const { stateOf, run, read } = viewSandbox(engine, id, deadline)
  const services = [
    bareService('web', { command: listening, capabilities: ['NET_ADMIN'] }),
    ...['app', 'store'].map((name) => bareService(name, { command: listening, ready: { tcp: { host: name, port: 8000 } } })),
  ]
  beforeAll(() => engine.create({ id, deadline, topology: { services, networks, readyTimeoutSeconds: 30 } }))
  afterAll(() => engine.destroy(id))
  const fetching = (host: string) => `curl -s -m 3 -o /dev/null http://${host}:8000/ && echo reached`

  it('a service on two networks has two addresses', async () => {
    expect((await stateOf('web'))?.addresses).toHaveLength(1)
    expect((await stateOf('app'))?.addresses).toHaveLength(2)
    expect((await stateOf('store'))?.addresses).toHaveLength(1)
  })

  it('lets those talk that share a network', async () => {
    expect(await read('web', fetching('app'))).toBe('reached\n')
    expect(await read('app', `${fetching('web')}; ${fetching('store')}`)).toBe('reached\nreached\n')
    expect(await read('store', fetching('app'))).toBe('reached\n')
  })

  it('keeps those apart that do not, by name and by address', async () => {
    const [store] = (await stateOf('store'))?.addresses ?? []
    const [web] = (await stateOf('web'))?.addresses ?? []
    expect([store, web]).toEqual([expect.any(String), expect.any(String)])
    // Each waits for an answer that does not come.
    const attempts = [run('web', 'getent hosts store'), run('web', fetching(store as string)), run('store', fetching(web as string))]
    for (const { exitCode } of await Promise.all(attempts)) expect(exitCode).not.toBe(0)
  })

  it('the probe is a neighbour of everybody', async () => {
    for (const host of ['web', 'app', 'store']) expect(await inProbe(engine, id, fetching(host))).toBe('reached\n')
  })

  it('the probe is not misled by a service that takes the address of another', async () => {
    const subnetOf = (address: string) => address.replace(/\d+$/, (last) => String(Math.floor(Number(last) / 16)))
    const here = ((await stateOf('web'))?.addresses ?? []).map(subnetOf)
    const app = (await stateOf('app'))?.addresses.find((address) => here.includes(subnetOf(address)))
    const serve = (text: string) => `echo ${text} > /tmp/who; cd /tmp && (setsid python3 -m http.server 9000 >/dev/null 2>&1 &)`
    await run('app', serve('mine'))
    await run('web', serve('stolen'))
    const asked = () => inProbe(engine, id, `for i in 1 2 3 4 5; do curl -s -m 3 http://${app}:9000/who; done`)
    await expect.poll(asked).toBe('mine\n'.repeat(5))
    await run('web', `ip address add ${app}/28 dev eth0`)
    await inProbe(engine, id, 'ip neigh show | grep PERMANENT')
    expect(await asked()).toBe('mine\n'.repeat(5))
  })
}
