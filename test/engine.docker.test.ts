// The conformance suite on Docker, and tests of the Docker objects that it creates.

import { afterAll, describe, expect, it } from 'vitest'
import { connectDocker, type Docker } from '../src/engine/docker/connection.ts'
import { dockerDiff } from '../src/engine/docker/docker-diff.ts'
import { labelFilter, labelKeys } from '../src/engine/docker/labels.ts'
import { createId } from '../src/ids.ts'
import {
  bareService,
  inMinutes,
  inProbe,
  inspectProcesses,
  inspect as look,
  nap,
  outputOf,
  script as shell,
  useSandbox,
} from './contract/fixture.ts'
import { engineContract } from './engine.contract.ts'
import { createTestEngine } from './support/engine.ts'

engineContract('Docker', createTestEngine)

const subnetOf = async (docker: Docker, id: string): Promise<string> =>
  (await docker.getNetwork(`lan-${id}`).inspect()).IPAM?.Config?.[0]?.Subnet ?? ''

describe('the objects of a sandbox', () => {
  const { engine, docker, installation, cleanUp } = createTestEngine()
  const storage = [{ path: '/data', bytes: 1024 ** 2 }]
  const { id, deadline, at, read } = useSandbox(engine, [
    bareService('web', { image: 'ops', storage, pids: 77, cpus: 0.5, environment: { COLOUR: 'blue' } }),
    bareService('admin', { capabilities: ['NET_ADMIN'] }),
  ])
  afterAll(cleanUp)

  const named = { name: [id] }
  const containers = async () => docker.listContainers({ all: true, filters: named })
  const inspect = async (service: string) => docker.getContainer(`${service}-${id}`).inspect()

  it('all carry the marks of their installation', async () => {
    const [network] = await docker.listNetworks({ filters: named })
    const { Volumes: volumes } = await docker.listVolumes({ filters: named })
    const marked = [...(await containers()), network, ...volumes].map((object) => object?.Labels ?? {})
    expect(marked.map((labels) => [labels[labelKeys.role], labels[labelKeys.service]]).sort()).toEqual([
      ['network', undefined],
      ['probe', undefined],
      ['service', 'admin'],
      ['service', 'web'],
      ['storage', 'web'],
    ])
    const marks = { [labelKeys.installation]: installation, [labelKeys.sandbox]: id }
    for (const labels of marked) expect(labels).toMatchObject({ ...marks, [labelKeys.deadline]: deadline.toISOString() })
  })

  it('tell their changes by docker diff too, where there is no overlayfs', async () => {
    await engine.exec(at('web'), { argv: ['sh', '-c', 'echo mine > /usr/bin/new; rm /usr/bin/more'], timeoutMs: 10_000, outputBytes: 1024 })
    const changes = await dockerDiff(docker.getContainer(`web-${id}`))
    expect(changes?.filter(({ path }) => path.startsWith('/usr/bin'))).toEqual([
      { kind: 'added', path: '/usr/bin/new' },
      { kind: 'deleted', path: '/usr/bin/more' },
    ])
  })

  it.each(['web', 'admin', 'clients', 'inspector'])('%s is a hardened container', async (name) => {
    await look(engine, at('web'), ['true'])
    const container = name === 'inspector' ? await docker.getContainer(`inspector-${installation}`).inspect() : await inspect(name)
    const settings = container?.HostConfig
    /** Docker adds the label where it shares the engine's processes. */
    const labelled = name === 'inspector' ? ['label=disable'] : []
    expect(settings).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges=true', expect.stringMatching(/^seccomp=\{"defaultAction":"SCMP_ACT_ERRNO"/), ...labelled],
      Privileged: false,
      PublishAllPorts: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '4m', 'max-file': '2' } },
    })
    for (const none of [
      'Binds',
      'Devices',
      'DeviceRequests',
      'DeviceCgroupRules',
      'VolumesFrom',
      'Links',
      'GroupAdd',
      'ExtraHosts',
    ] as const) {
      expect(settings?.[none] ?? [], none).toEqual([])
    }
    expect([settings?.UTSMode, settings?.UsernsMode, settings?.IpcMode]).toEqual(['', name === 'inspector' ? 'host' : '', 'private'])
    expect(settings?.Memory).toBeGreaterThan(0)
    expect(settings?.MemorySwap).toBe(settings?.Memory)
    expect(settings?.PidsLimit).toBeGreaterThan(0)
    expect(settings?.NanoCpus).toBeGreaterThan(0)
    expect(settings?.PortBindings ?? {}).toEqual({})
    expect(settings?.MaskedPaths).toContain('/proc/kcore')
    expect(settings?.ReadonlyPaths).toContain('/proc/sys')
    const limits = new Map(settings?.Ulimits?.map(({ Name, Hard }) => [Name, Hard]))
    expect([...limits.keys()].sort()).toEqual(['core', 'fsize', 'msgqueue', 'nofile', 'sigpending'])
    expect(limits.get('nofile')).toBeLessThanOrEqual(8192)
    expect([limits.get('fsize'), limits.get('core')]).toEqual([1024 ** 3, 0])
    const { DockerRootDir } = await docker.info()
    /** An inspector reads what a container changed in the engine's folder, and can write nothing there. */
    const mounts = name === 'inspector' ? [{ Type: 'bind', Source: DockerRootDir, RW: false }] : []
    expect(container?.Mounts.filter(({ Type }) => Type !== 'volume')).toMatchObject(mounts)
    expect(container?.Mounts.filter(({ Type }) => Type !== 'volume')).toHaveLength(mounts.length)
    const places = name === 'inspector' ? ['host', 'none'] : ['', `lan-${id}`]
    expect([settings?.PidMode, settings?.NetworkMode]).toEqual(places)
  })

  it('have the limits that were asked for, inside too', async () => {
    expect((await inspect('web')).HostConfig).toMatchObject({ Memory: 64 * 1024 ** 2, PidsLimit: 77, NanoCpus: 5e8 })
    expect((await inspect('admin')).HostConfig.CapAdd?.filter((name: string) => name.includes('NET'))).toEqual([
      'NET_BIND_SERVICE',
      'NET_ADMIN',
    ])
    const [files, size, core] = (await read('web', 'ulimit -Hn; ulimit -Hf; ulimit -Hc')).trim().split('\n').map(Number)
    expect([size, core]).toEqual([1024 ** 3 / 512, 0])
    expect(files).toBeLessThanOrEqual(8192)
    const large = await engine.exec(at('web'), shell('truncate -s 2G /tmp/large'))
    expect(large.exitCode).not.toBe(0)
  })

  it('are on one internal network without addresses of another version', async () => {
    const network = await docker.getNetwork(`lan-${id}`).inspect()
    expect(network).toMatchObject({ Internal: true, EnableIPv6: false, Attachable: false, Ingress: false, Driver: 'bridge' })
    expect(Object.keys(network.Containers ?? {})).toHaveLength(3)
    expect(await read('web', 'ip -6 -o addr show scope global; ip -6 -o addr show scope link')).toBe('')
  })

  it('say nothing about the house to those inside', async () => {
    const words = /incident|lab-|probe|scenario/i
    const first = (await subnetOf(docker, id)).replace(/\/28$/, '').split('.').map(Number)
    const addresses = Array.from({ length: 16 }, (_, index) => [...first.slice(0, 3), (first[3] as number) + index].join('.'))
    const names = await read('web', `for address in ${addresses.join(' ')}; do getent hosts $address & done; wait`)
    expect(names.trim().split('\n')).toHaveLength(3)
    expect(names).not.toMatch(words)
    const text = await read(
      'web',
      'env; tr "\\0" "\\n" < /proc/1/environ; cat /etc/hosts /etc/hostname /etc/resolv.conf /proc/mounts /proc/1/cgroup; ls -a / /root',
    )
    expect(text).toContain('COLOUR=blue')
    expect(text).not.toMatch(words)
  })

  it('a group is killed though its leader has ended', async () => {
    const slept = nap()
    expect(await engine.execDirect(at('admin'), shell(`${slept} & exit 0`, { timeoutMs: 500 }))).toMatchObject({ timedOut: true })
    expect(await inspectProcesses(engine, at('admin'))).not.toContain(slept)
  })
})

describe('two installations on one engine', () => {
  const pool = '10.214.240.0/26'
  const first = createTestEngine({ subnetPool: pool })
  const second = createTestEngine({ subnetPool: pool })
  const mine = useSandbox(first.engine, [bareService('one', { storage: [{ path: '/data', bytes: 1024 ** 2 }] })])
  afterAll(async () => {
    await first.cleanUp()
    await second.cleanUp()
  })
  const empty = { services: [], readyTimeoutSeconds: 10 }
  const create = async ({ engine }: typeof first) => {
    const id = createId()
    await engine.create({ id, deadline: inMinutes(10), topology: empty })
    return id
  }

  it('do not see each other', async () => {
    const target = mine.at('one')
    const notFound = { code: 'not_found' }
    expect(await second.engine.list()).toEqual([])
    expect(await second.engine.describe(mine.id)).toBeNull()
    await expect(second.engine.exec(target, shell('true'))).rejects.toMatchObject(notFound)
    await expect(second.engine.execDirect(target, shell('true'))).rejects.toMatchObject(notFound)
    await expect(second.engine.openInspector(target, ['true'])).rejects.toMatchObject(notFound)
    await expect(second.engine.restart(target)).rejects.toMatchObject(notFound)
    await expect(second.engine.kill(target)).rejects.toMatchObject(notFound)
    await expect(second.engine.terminal(target, { argv: ['sh'], columns: 80, rows: 24 })).rejects.toMatchObject(notFound)
    await expect(second.engine.openProbe(mine.id, ['true'])).rejects.toMatchObject(notFound)
  })

  it('do not end each other', async () => {
    const before = await first.engine.describe(mine.id)
    await mine.read('one', 'echo kept > /data/kept')
    await second.engine.destroy(mine.id)
    await second.cleanUp()
    expect(await first.engine.describe(mine.id)).toEqual(before)
    expect(await mine.read('one', 'cat /data/kept')).toBe('kept\n')
  })

  it('share a pool: every sandbox has a subnet of its own, and an exhausted pool is reported', async () => {
    const others = await Promise.all([create(first), create(second), create(second)])
    const subnets = await Promise.all([mine.id, ...others].map((id) => subnetOf(first.docker, id)))
    expect(subnets.sort()).toEqual(['10.214.240.0/28', '10.214.240.16/28', '10.214.240.32/28', '10.214.240.48/28'])

    const refused = createId()
    const topology = { services: [bareService('one', { storage: [{ path: '/data', bytes: 1024 ** 2 }] })], readyTimeoutSeconds: 10 }
    const attempt = second.engine.create({ id: refused, deadline: inMinutes(10), topology })
    await expect(attempt).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.not.stringContaining(pool), // for the operator alone
      cause: expect.objectContaining({ message: expect.stringMatching(new RegExp(`${pool}.*LAB_SUBNET_POOL`)) }),
    })
    expect(await second.engine.describe(refused)).toBeNull()
    const { docker } = second
    const filters = labelFilter({ sandbox: refused })
    expect(await docker.listContainers({ all: true, filters })).toEqual([])
    expect((await docker.listVolumes({ filters })).Volumes ?? []).toEqual([])

    await second.engine.destroy(others[1] as string)
    expect(await subnetOf(first.docker, await create(second))).toMatch(/^10\.214\.240\./)
  })
})

describe('an engine object that was created again', () => {
  const { engine, installation, cleanUp } = createTestEngine()
  const { id, at, deadline } = useSandbox(engine, [bareService('one')])
  afterAll(cleanUp)

  it('knows what the one before it made', async () => {
    const again = createTestEngine({ installation }).engine
    expect(await again.list()).toMatchObject([{ id, deadline }])
    expect(outputOf(await again.exec(at('one'), shell('hostname')))).toBe('one\n')
    await again.destroy(id)
    await expect(engine.exec(at('one'), shell('true'))).rejects.toMatchObject({ code: 'not_found' })
    expect(await engine.describe(id)).toBeNull()
  })
})

describe.each(['unix:///nowhere/docker.sock', 'tcp://127.0.0.1:1'])('an engine at %s that does not answer', (host) => {
  const { engine } = createTestEngine({ docker: connectDocker({ dockerHost: host }) })
  const target = { sandbox: createId(), service: 'one' }
  const topology = { services: [bareService('one')], readyTimeoutSeconds: 1 }

  it.each([
    ['ping', () => engine.ping()],
    ['prepare', () => engine.prepare(() => undefined)],
    ['create', () => engine.create({ id: target.sandbox, deadline: inMinutes(1), topology })],
    ['destroy', () => engine.destroy(target.sandbox)],
    ['exec', () => engine.exec(target, shell('true'))],
    ['execDirect', () => engine.execDirect(target, shell('true'))],
    ['describe', () => engine.describe(target.sandbox)],
    ['list', () => engine.list()],
  ])('%s says so', async (_, work) => {
    await expect(work()).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})

describe('a sandbox that is not intact', () => {
  const { engine, docker, installation, cleanUp } = createTestEngine()
  afterAll(cleanUp)
  const { id, at, read, stateOf } = useSandbox(engine, [
    bareService('one', { storage: [{ path: '/data', bytes: 1024 ** 2 }] }),
    bareService('two'),
    bareService('done', { command: ['true'] }),
  ])
  const summary = async () => (await engine.list()).find((entry) => entry.id === id)
  const containers = () => docker.listContainers({ all: true, filters: labelFilter({ installation, sandbox: id }) })

  const killAll = async () => {
    const killed = (await containers()).map(({ Id }) => docker.getContainer(Id).kill())
    await Promise.allSettled(killed) // one of them may have ended by itself
  }

  it('gets its network back, with the same addresses and names', async () => {
    const before = (await stateOf('two'))?.addresses
    expect(await summary()).toMatchObject({ intact: true })
    const network = docker.getNetwork(`lan-${id}`)
    for (const { Id } of await containers()) await network.disconnect({ Container: Id, Force: true }).catch(() => undefined)
    await network.remove()
    expect(await summary()).toMatchObject({ intact: false })
    expect(await engine.repair(id)).toBe(false)
    expect(await summary()).toMatchObject({ intact: true })
    expect((await stateOf('two'))?.addresses).toEqual(before)
    expect(await read('one', 'getent hosts two')).toContain(before)
    expect(await inProbe(engine, id, 'getent hosts one two | wc -l')).toBe('2\n')
  })

  it('runs again after all of it was killed, with its files', async () => {
    await read('one', 'echo kept > /root/mark')
    await killAll()
    expect(await summary()).toMatchObject({ intact: false })
    await expect(engine.exec(at('one'), shell('true'))).rejects.toMatchObject({ code: 'container_not_running' })
    expect(await engine.repair(id)).toBe(true)
    expect(await summary()).toMatchObject({ intact: true })
    expect(await read('one', 'cat /root/mark; getent hosts two > /dev/null && stat -f -c %T /data')).toBe('kept\ntmpfs\n')
    expect(await engine.repair(id)).toBe(false)
  })

  it('is repaired by the next attempt when a repair was interrupted', async () => {
    await killAll()
    await docker.getNetwork(`lan-${id}`).remove()
    expect(await summary()).toMatchObject({ intact: false })
    expect(await engine.repair(id)).toBe(true)
    expect(await summary()).toMatchObject({ intact: true })
    await docker.getNetwork(`lan-${id}`).disconnect({ Container: `two-${id}`, Force: true })
    expect(await summary()).toMatchObject({ intact: false })
    expect(await engine.repair(id)).toBe(false)
    expect(await summary()).toMatchObject({ intact: true })
    expect(await read('one', 'getent hosts two > /dev/null && echo there')).toBe('there\n')
  })

  it('is left alone when only one of its services has ended', async () => {
    await docker.getContainer(`two-${id}`).kill()
    expect(await summary()).toMatchObject({ intact: true })
    await engine.restart(at('two'))
    expect(await read('two', 'hostname')).toBe('two\n')
  })

  it('cannot be repaired when nothing is there', async () => {
    await expect(engine.repair(createId())).rejects.toMatchObject({ code: 'not_found' })
  })
})
