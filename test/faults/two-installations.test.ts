// Two servers share one engine and one small pool of subnets, and never see each other.

import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { SandboxSession } from '../../src/contract/sandbox.ts'
import { openInstallation } from '../../src/installation.ts'
import { createClient, createDataDir, createToken, runLab, smallCatalog, startServerProcess } from '../support/server.ts'

const environment = { ...smallCatalog, LAB_SUBNET_POOL: '10.214.0.0/24' }

const createHouse = async () => {
  const dataDir = await createDataDir()
  let server = await startServerProcess(dataDir, environment)
  const token = await createToken(dataDir, environment)
  const inside = await openInstallation(readConfig({ ...environment, LAB_DATA_DIR: dataDir }))
  const call = (method: string, path: string, body?: unknown) => createClient(server.url, token)(method, `/api/v1/sandbox${path}`, body)
  return {
    dataDir,
    token,
    inside,
    call,
    server: () => server,
    up: async () => {
      server = await startServerProcess(dataDir, environment)
    },
    start: async (): Promise<SandboxSession> => (await call('POST', '/start', { course_id: 'scenario-01' })).body,
    exec: (session_id: string, command: string) => call('POST', '/exec', { session_id, command }),
    subnets: async () => {
      const filters = { label: [`incident-lab.installation=${inside.store.installation}`] }
      return (await inside.docker.listNetworks({ filters })).flatMap(({ IPAM }) => (IPAM?.Config ?? []).map(({ Subnet }) => Subnet))
    },
    close: async () => {
      await inside.store.close()
      await runLab(['down', '--data', dataDir], environment)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type House = Awaited<ReturnType<typeof createHouse>>
let left: House
let right: House
const sessions = new Map<House, SandboxSession[]>()
const of = (house: House) => sessions.get(house) ?? []

beforeAll(async () => {
  left = await createHouse() // one after the other: the second relies on the isolation check of the first
  right = await createHouse()
  for (const house of [left, right]) sessions.set(house, [])
  await Promise.all([left, right, left, right].map(async (house) => sessions.get(house)?.push(await house.start())))
})
afterAll(async () => {
  await Promise.all([left?.close(), right?.close()])
})

it('every sandbox has a subnet of its own in the pool', async () => {
  const subnets = [...(await left.subnets()), ...(await right.subnets())]
  expect(subnets).toHaveLength(4)
  expect(new Set(subnets).size).toBe(4)
  for (const subnet of subnets) expect(subnet).toMatch(/^10\.214\.0\.\d+\/28$/)
})

it('neither lists, reads, enters or stops what is the other\u2019s', async () => {
  for (const [house, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const own = of(house)
      .map(({ id }) => id)
      .sort()
    expect((await house.call('GET', '')).body.items.map(({ id }: SandboxSession) => id).sort()).toEqual(own)
    expect((await house.inside.engine.list()).map(({ id }) => id).sort()).toEqual(own)
    for (const { session_id, id } of of(other)) {
      expect((await house.call('GET', `/${id}`)).status).toBe(404)
      expect((await house.exec(session_id, 'id')).status).toBe(404)
      expect((await house.call('POST', '/stop', { session_id })).status).toBe(404)
      expect(await house.inside.engine.describe(id)).toBeNull()
    }
    expect((await createClient(house.server().url, other.token)('GET', '/api/v1/sandbox')).status).toBe(401)
  }
})

it('SIGTERM lets requests finish and keeps the sandboxes for the next up', async () => {
  const [first, second] = of(left) as [SandboxSession, SandboxSession]
  await left.exec(second.session_id, 'echo kept > /tmp/mark')
  const { server, exec } = left
  const running = exec(first.session_id, 'sleep 3; echo finished')
  const events = await fetch(`${server().url}/api/v1/mcp/sse`)
  const unused = once(connect(Number(new URL(server().url).port), '127.0.0.1'), 'close')
  const late = sendSlowly(Number(new URL(server().url).port), 'GET /api/v1/health HTTP/1.1\r\nHost: lo')
  await delay(500)
  server().child.kill('SIGTERM')
  await delay(500)
  const refusal = await late('calhost\r\n\r\n')

  expect(await running).toMatchObject({ status: 200, body: { stdout: 'finished\n', exit_code: 0 } })
  expect(refusal).toMatch(/^HTTP\/1\.1 503 .*"code":"shutting_down"/s)
  expect(refusal).toMatch(/retry-after: \d+/i)
  expect(await events.text()).toMatch(/^event: endpoint\n/)
  await unused
  expect(await server().exited).toBe(0)
  expect((await left.inside.engine.list()).length).toBe(2)

  await left.up()
  expect((await exec(second.session_id, 'cat /tmp/mark')).body.stdout).toBe('kept\n')
  expect((await left.call('GET', '')).body.items).toHaveLength(2)
})

it('down of one leaves the other working', async () => {
  const down = await runLab(['down', '--data', left.dataDir], environment)
  expect([down.code, down.stdout]).toEqual([0, 'Stopped the server.\nRemoved 2 sandboxes.\n'])
  expect(await left.inside.engine.list()).toEqual([])
  expect(await left.subnets()).toEqual([])
  for (const { session_id } of of(right)) expect((await right.exec(session_id, 'curl -s http://web/health')).body.exit_code).toBe(0)
  const [{ session_id }] = of(right) as [SandboxSession]
  await right.call('POST', '/stop', { session_id })
  expect((await right.start()).status).toBe('running')
})

/** Sends the first part of a request; the returned function sends the rest and returns the response. */
function sendSlowly(port: number, head: string) {
  const socket = connect(port, '127.0.0.1', () => socket.write(head))
  return (rest: string): Promise<string> =>
    new Promise((resolve) => {
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('error', () => undefined)
      socket.once('close', () => resolve(received))
      socket.write(rest)
    })
}
