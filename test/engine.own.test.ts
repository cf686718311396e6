// The engine that `up` starts: independent of the machine's Docker, with user namespaces. On an engine without user namespaces the
// same attacks succeed, so sandboxes with extra capabilities are not created there.

import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Docker } from '../src/engine/docker/connection.ts'
import { cgroupOf } from '../src/engine/docker/daemon/paths.ts'
import { openExec } from '../src/engine/docker/exec.ts'
import { createImages } from '../src/engine/docker/images.ts'
import { createId } from '../src/ids.ts'
import { run, succeeds } from '../src/run-program.ts'
import { bareService, inMinutes } from './contract/fixture.ts'
import { createTestEngine, root } from './support/engine.ts'
import { type OwnEngine, startOwnEngine } from './support/own-engine.ts'

/** The state of the machine that a Docker engine usually changes. */
const machine = async () =>
  (await Promise.all([run('iptables-save', []), run('ip', ['link']), run('ip', ['route']), run('cat', ['/proc/self/mounts'])])).join('\n')

/** What an attacker with SYS_PTRACE gains by tracing processes that enter a container. */
const takeOver = async (docker: Docker) => {
  const image = await createImages(docker, join(root, 'images')).referenceOf('probe')
  const container = await docker.createContainer({ Image: image, HostConfig: { CapAdd: ['SYS_PTRACE'], NetworkMode: 'none' } })
  try {
    await container.start()
    const exec = async (text: string) => {
      const { stream, close } = await openExec(docker, container.id, ['sh', '-c', text])
      let said = ''
      for await (const chunk of stream) said += chunk
      await close()
      return said
    }
    await exec('python3 /opt/probe/kernel_attacks.py trace > /tmp/trace 2>&1 & while [ ! -s /tmp/trace ]; do sleep 0.02; done')
    for (let entry = 0; entry < 8; entry += 1) await exec('sleep 0.1')
    const said = await exec('touch /tmp/stop; while ! grep attached /tmp/trace; do sleep 0.02; done')
    return JSON.parse(said) as { attached: number; foreign: number }
  } finally {
    await container.remove({ force: true })
  }
}

describe('an engine of our own', () => {
  let engine: OwnEngine
  beforeAll(async () => {
    engine = await startOwnEngine(['probe'])
  })
  afterAll(() => engine?.close())

  it('changes nothing of the machine: no rule, link, route or mount, also with a sandbox on it', async () => {
    const { engine: port, cleanUp } = createTestEngine({ docker: engine.docker })
    try {
      const services = [bareService('one')]
      await port.create({ id: createId(), deadline: inMinutes(5), topology: { services, readyTimeoutSeconds: 10 } })
      const [network] = await engine.docker.listNetworks({ filters: { driver: ['bridge'], type: ['custom'] } })
      const traces = [network?.Options?.['com.docker.network.bridge.name'], network?.IPAM?.Config?.[0]?.Subnet, engine.folder]
      const seen = await machine()
      for (const trace of traces) {
        expect(trace).toBeTypeOf('string')
        expect(seen).not.toContain(trace)
      }
    } finally {
      await cleanUp()
    }
  })

  it('gives its containers no keys: the kernel allows a user few of them, and all containers have the same user', async () => {
    const keysOfOthers = async () => {
      const lines = (await readFile('/proc/key-users', 'utf8')).trim().split('\n')
      const counts = lines.map((line) => /^ *(\d+): +\d+ (\d+)\//.exec(line)).filter((found) => found?.[1] !== '0')
      return counts.reduce((sum, found) => sum + Number(found?.[2]), 0)
    }
    const image = await createImages(engine.docker, join(root, 'images')).referenceOf('probe')
    const before = await keysOfOthers()
    const container = await engine.docker.createContainer({ Image: image, HostConfig: { NetworkMode: 'none' } })
    try {
      await container.start()
      const { stream, close } = await openExec(engine.docker, container.id, ['cat'])
      expect(await keysOfOthers()).toBeLessThanOrEqual(before)
      stream.end()
      await close()
    } finally {
      await container.remove({ force: true })
    }
  })

  it('is no engine of anybody else: none of its containers is seen there', async () => {
    const image = await createImages(engine.docker, join(root, 'images')).referenceOf('probe')
    const container = await engine.docker.createContainer({ Image: image, HostConfig: { NetworkMode: 'none' } })
    const { docker: other } = createTestEngine()
    await expect(other.getContainer(container.id).inspect()).rejects.toMatchObject({ statusCode: 404 })
    await container.remove({ force: true })
  })

  it('processes that enter a container cannot be taken over by a tracer', async () => {
    const { attached, foreign } = await takeOver(engine.docker)
    expect(attached).toBeGreaterThan(0)
    expect(foreign).toBe(0)
  })

  it('tells one run of its daemon from the next, and that it does not run', async () => {
    const before = await engine.processes()
    expect([before, await engine.processes()]).toEqual([expect.stringMatching(/^[\da-f-]{36} \d+ \d+ \d+ \d+$/), before])
    await engine.kill('daemon')
    expect(await engine.processes()).toBe(null)
    await engine.start()
    const after = await engine.processes()
    expect(after).toBeTypeOf('string')
    expect(after).not.toBe(before)
  })

  it('starts again after it was killed in the middle of deleting a network, and that network is gone', async () => {
    await engine.docker.createNetwork({ Name: 'kept', Internal: true })
    const { id } = await engine.docker.createNetwork({ Name: 'half-deleted', Internal: true })
    await engine.kill('daemon')
    const [file] = globSync(join(engine.folder, 'data/*/network/files/local-kv.db')) as [string]
    // A record as a killed daemon leaves it: marked for deletion, and without addresses. The file must keep its length.
    const halve = (record: string) => record.replace('"inDelete":false', '"inDelete":true ').replace('"ipamV4Info"', '"ipamV4Gone"')
    const record = new RegExp(`\\{"addrSpace":[^{}]*\\{[^}]*\\{[^}]*\\}[^}]*\\},"id":"${id}".*?"scope":"local"\\}`, 'g')
    const store = await readFile(file, 'latin1')
    const halved = store.replace(record, halve)
    expect(halved).not.toBe(store)
    await writeFile(file, halved, 'latin1')
    await engine.start()
    const names = (await engine.docker.listNetworks()).map(({ Name }) => Name)
    expect(names).toContain('kept')
    expect(names).not.toContain('half-deleted')
    await engine.docker.getNetwork('kept').remove()
  })

  it('leaves nothing when it ends, whatever ran in it', async () => {
    const image = await createImages(engine.docker, join(root, 'images')).referenceOf('probe')
    const container = await engine.docker.createContainer({ Image: image, Cmd: ['sleep', '86399'], HostConfig: { NetworkMode: 'none' } })
    await container.start()
    expect(await succeeds('pgrep', ['-fx', 'sleep 86399'])).toBe(true)
    await engine.close()
    for (let attempt = 0; attempt < 100 && (await succeeds('pgrep', ['-fx', 'sleep 86399'])); attempt += 1) await delay(20)
    expect(await succeeds('pgrep', ['-fx', 'sleep 86399'])).toBe(false)
    expect(globSync(`/sys/fs/cgroup/{*/,}${cgroupOf(engine.folder)}*`)).toEqual([])
  })
})

describe('an engine without user namespaces', () => {
  let plain: OwnEngine
  beforeAll(async () => {
    plain = await startOwnEngine(['probe'], { userNamespaces: false })
  })
  afterAll(() => plain?.close())

  it('control: with SYS_PTRACE, processes that enter a container can be taken over', async () => {
    expect((await takeOver(plain.docker)).foreign).toBeGreaterThan(0)
  })

  it('is given no sandbox with extra capabilities, and others', async () => {
    const { engine, cleanUp } = createTestEngine({ docker: plain.docker })
    const create = (service: ReturnType<typeof bareService>) =>
      engine.create({ id: createId(), deadline: inMinutes(5), topology: { services: [service], readyTimeoutSeconds: 10 } })
    try {
      expect(await engine.confinesCapabilities()).toBe(false)
      await expect(create(bareService('strong', { capabilities: ['SYS_PTRACE'] }))).rejects.toMatchObject({ code: 'course_unavailable' })
      expect(await engine.list()).toEqual([])
      await create(bareService('plain'))
      expect((await engine.checkIsolation()).filter(({ passed }) => !passed)).toEqual([])
    } finally {
      await cleanUp()
    }
  })
})
