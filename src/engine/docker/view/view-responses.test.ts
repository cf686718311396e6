import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { describe, expect, it } from 'vitest'
import { labelKeys } from '../labels.ts'
import { statsResponse } from './stats.ts'
import { containerInspectResponse, containerListItem, eventOf, imageNameOf, infoResponse } from './view-responses.ts'
import { createVisibleContainers, opaqueId } from './visible-containers.ts'

const secret = 'of-the-host'
/** Whatever is asked for, there is something that must not be told. */
const telling = <T extends object>(known: T): T =>
  new Proxy(known, {
    get: (target, name) => (Reflect.has(target, name) ? Reflect.get(target, name) : secret),
    ownKeys: (target) => [...Reflect.ownKeys(target), 'Secret'],
    getOwnPropertyDescriptor: (target, name) =>
      Reflect.getOwnPropertyDescriptor(target, name) ?? { configurable: true, enumerable: true, value: secret },
  })

const engineId = 'e'.repeat(64)
const info = (service: string, id = engineId, role = 'service') =>
  ({
    ...{ Id: id, Names: [`/${service}-${secret}`], Image: 'lab/nginx:0123456789ab', ImageID: `sha256:${secret}`, Command: 'nginx' },
    ...{ Created: 1, Ports: [telling({ PrivatePort: 80, Type: 'tcp' })], State: 'running', Status: 'Up 1 second', Secret: secret },
    Labels: { [labelKeys.role]: role, [labelKeys.service]: service, [labelKeys.sandbox]: secret },
    HostConfig: { NetworkMode: secret },
    NetworkSettings: { Networks: { [secret]: { IPAddress: '10.0.0.2', MacAddress: '02:42', NetworkID: secret } } },
    Mounts: [{ Source: secret }],
  }) as unknown as ContainerInfo

const inspection = {
  ...{ Id: engineId, Created: 'then', Path: 'nginx', Args: ['-g'], Image: `sha256:${secret}`, LogPath: secret, Name: `/web-${secret}` },
  ...{ RestartCount: 0, GraphDriver: { Data: { LowerDir: secret } }, Driver: secret, ExecIDs: [secret] },
  State: { Status: 'running', Running: true, Pid: 4242, Error: secret, ExitCode: 0, StartedAt: 'then', FinishedAt: 'then' },
  HostConfig: {
    Memory: 5,
    NanoCpus: 6,
    PidsLimit: 7,
    SecurityOpt: [secret],
    NetworkMode: secret,
    Binds: [secret],
    LogConfig: { Type: 'json-file', Config: { x: secret } },
  },
  Mounts: [{ Type: 'volume', Name: secret, Source: `/var/lib/${secret}`, Destination: '/data', RW: true }],
  Config: { Hostname: 'web', Image: 'lab/nginx:0123456789ab', Env: ['A=b'], Labels: { [secret]: secret }, User: '' },
  NetworkSettings: { SandboxKey: secret, Networks: { [secret]: { IPAddress: '10.0.0.2', NetworkID: secret, EndpointID: secret } } },
} as unknown as ContainerInspectInfo

const seen = createVisibleContainers({
  installation: 'one',
  containers: async () => [info('web'), info('api', 'a'.repeat(64)), info('clients', 'c'.repeat(64), 'probe')],
})
const web = await seen.find('web')

describe('what is told', () => {
  it.each([
    ['a list', () => containerListItem(web)],
    ['an inspection', () => containerInspectResponse(web, inspection)],
    ['information', () => infoResponse([web])],
    [
      'a measurement',
      () =>
        statsResponse(web, {
          id: secret,
          name: secret,
          read: secret,
          cpu_stats: { online_cpus: 2, x: secret },
          networks: { [secret]: { rx_bytes: 1, x: secret } },
          memory_stats: secret,
        }),
    ],
    [
      'an event',
      () =>
        eventOf(
          {
            Type: 'container',
            Action: 'die',
            Actor: { ID: engineId, Attributes: { exitCode: '1', image: secret, [secret]: secret } as never },
            time: 1,
          },
          [web],
        ),
    ],
  ])('in %s holds nothing of the host', (_, answer) => {
    const text = JSON.stringify(answer())
    expect(text).not.toContain(secret)
    expect(text).not.toContain(engineId)
    expect(text).not.toContain('0123456789ab')
    expect(text).not.toContain('4242')
  })

  it('holds what a repair needs', () => {
    expect(containerInspectResponse(web, inspection)).toMatchObject({
      ...{ Name: '/web', Image: 'nginx', Path: 'nginx', State: { Running: true, Pid: 0 } },
      HostConfig: { Memory: 5, NanoCpus: 6, PidsLimit: 7, Privileged: false },
      Mounts: [{ Type: 'tmpfs', Destination: '/data', RW: true }],
    })
    expect(containerListItem(web)).toMatchObject({ Names: ['/web'], Image: 'nginx', Ports: [{ PrivatePort: 80, Type: 'tcp' }], Labels: {} })
    expect(statsResponse(web, { cpu_stats: { online_cpus: 2 }, networks: { eth7: { rx_bytes: 1 } } })).toMatchObject({
      ...{ name: '/web', cpu_stats: { online_cpus: 2 }, networks: { eth0: { rx_bytes: 1 } } },
    })
  })

  it.each(['exec_create: sh -s', 'exec_start: sh -s', 'exec_die', 'attach', 'rename', 'top'])('never is that somebody did %s', (Action) => {
    expect(eventOf({ Type: 'container', Action, Actor: { ID: engineId } }, [web])).toBeNull()
  })

  it('never is what happens to others', () => {
    expect(eventOf({ Type: 'container', Action: 'die', Actor: { ID: 'f'.repeat(64) } }, [web])).toBeNull()
    expect(eventOf({ Type: 'network', Action: 'start', Actor: { ID: engineId } }, [web])).toBeNull()
  })

  it.each([
    ['lab/nginx:0123456789ab', 'nginx'],
    ['lab/ops-docker:0123456789ab', 'ops-docker'],
    ['sha256:0123456789ab', 'image'],
    ['registry/other:tag', 'image'],
  ])('of the image %s is %s', (reference, name) => {
    expect(imageNameOf(reference)).toBe(name)
  })
})

describe('containers', () => {
  it('are the services, by numbers of this installation', async () => {
    expect((await seen.all()).map(({ name }) => name)).toEqual(['web', 'api'])
    expect(web.id).toBe(opaqueId('one', engineId))
    expect(opaqueId('two', engineId)).not.toBe(web.id)
  })

  it('are found by name, id, and the beginning of an id', async () => {
    for (const reference of ['web', web.id, web.id.slice(0, 12)]) expect((await seen.find(reference)).engineId).toBe(engineId)
  })

  it.each(['clients', engineId, engineId.slice(0, 12), `web-${secret}`, 'c'.repeat(64), '', 'nobody'])(
    'are not found as %j',
    async (reference) => {
      await expect(seen.find(reference)).rejects.toMatchObject({ status: expect.toSatisfy((status) => status === 404 || status === 400) })
    },
  )
})
