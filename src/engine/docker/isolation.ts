// Shows from inside that a sandbox reaches nothing outside itself: it builds two sandboxes with the very code that
// serves users, puts listeners where nothing may arrive, and tries, also with NET_ADMIN and routes made by hand.
// A check counts only when its control shows that the same attempt succeeds where it should.

import { randomBytes } from 'node:crypto'
import type { Container } from 'dockerode'
import { addMinutes, type Clock } from '../../clock.ts'
import type { Engine, IsolationFinding, ServiceSpec } from '../engine.ts'
import { call, type Docker } from './connection.ts'
import { containerName, engineSideContainer } from './container.ts'
import type { Marks } from './labels.ts'
import { networkName } from './network.ts'

export interface IsolationDeps {
  readonly docker: Docker
  readonly clock: Clock
  readonly engine: Engine
  readonly probeImage: string
  readonly installation: string
}

interface Listener {
  readonly addresses: readonly string[]
  readonly tcp: number
  readonly udp: number
}

interface Attempt {
  readonly answered: readonly string[]
  readonly forced: boolean
  /** The addresses of where the attempt was made, at its end. */
  readonly addresses: readonly string[]
}

const listen = ['python3', '/opt/probe/reach.py', 'listen']
const outsideNames = ['example.com', 'debian.org', 'www.iana.org']

const bare = (name: string, extra: Partial<ServiceSpec> = {}): ServiceSpec => ({
  name,
  image: 'probe',
  environment: {},
  files: [],
  storage: [],
  memoryBytes: 96 * 1024 ** 2,
  cpus: 1,
  pids: 64,
  capabilities: [],
  sysctls: {},
  init: true,
  ...extra,
})

const logOf = async (container: Container): Promise<string> =>
  (await call(() => container.logs({ stdout: true, stderr: true }))).toString('latin1')

/** The first line that a listener prints. */
const whereItListens = async (clock: Clock, container: Container): Promise<Listener> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const line = /\{"addresses.*\}/.exec(await logOf(container))?.[0]
    if (line !== undefined) return JSON.parse(line) as Listener
    await clock.sleep(25)
  }
  throw new Error('the listener of the isolation check did not start')
}

/** Waits for every start before it fails, so that nothing appears after the clean-up. */
const allOrNone = async <T extends readonly unknown[]>(starts: { [K in keyof T]: Promise<T[K]> }): Promise<T> => {
  await Promise.allSettled(starts)
  return Promise.all(starts) as unknown as Promise<T>
}

interface Place {
  readonly address: string
  readonly tcp: number
  readonly udp: number
}

const placesOf = ({ addresses, tcp, udp }: Listener): Place[] => addresses.map((address) => ({ address, tcp, udp }))

/** Stands for the world: an address beyond the host, on a link of its own, that the host can route to. */
const outsideLink = (pid: number, device: string, near: string, far: string) =>
  [
    `ip link add ${device} type veth peer name far0 netns ${pid}`,
    `ip addr add ${near}/30 dev ${device}`,
    `ip link set ${device} up`,
    `nsenter --net=/proc/${pid}/ns/net sh -c "ip addr add ${far}/30 dev far0; ip link set far0 up; ip route add default via ${near}"`,
  ].join(' && ')

export const checkIsolation = async ({ docker, clock, engine, probeImage, installation }: IsolationDeps): Promise<IsolationFinding[]> => {
  const tag = randomBytes(5)
  const ids = { inside: `a${tag.toString('hex')}`, neighbour: `b${tag.toString('hex')}`, outside: `c${tag.toString('hex')}` }
  const marks: Marks = { installation, sandbox: ids.outside, deadline: addMinutes(clock.now(), 5) }
  const nonce = randomBytes(8).toString('hex')
  const [near, far] = [1, 2].map((host) => `198.${18 + ((tag[0] as number) % 2)}.${tag[1]}.${((tag[2] as number) & 0xfc) + host}`) as [
    string,
    string,
  ]

  const startHelper = async (argv: readonly string[], powers: Parameters<typeof engineSideContainer>[3]) => {
    const container = await call(() => docker.createContainer(engineSideContainer(marks, probeImage, argv, powers)))
    await call(() => container.start())
    return container
  }

  const runHelper = async (argv: readonly string[], powers: Parameters<typeof engineSideContainer>[3]) => {
    const container = await startHelper(argv, powers)
    const { StatusCode } = (await call(() => container.wait())) as { StatusCode: number }
    const output = await logOf(container)
    if (StatusCode !== 0) throw new Error(`the isolation check could not run: ${output.trim()}`)
    return output
  }

  const startOutside = async () => {
    const container = await startHelper([...listen, far], { NetworkMode: 'none', CapAdd: ['NET_BIND_SERVICE'] })
    const { Pid } = (await call(() => container.inspect())).State
    await runHelper(['sh', '-c', outsideLink(Pid, `out${tag.toString('hex').slice(0, 8)}`, near, far)], {
      NetworkMode: 'host',
      PidMode: 'host',
      CapAdd: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_PTRACE'],
    })
    return container
  }

  const attempt = async (service: string, targets: readonly Place[], force: boolean): Promise<Attempt> => {
    const result = await engine.execDirect(
      { sandbox: ids.inside, service },
      {
        argv: ['python3', '/opt/probe/reach.py', 'try'],
        stdin: JSON.stringify({ nonce: `${nonce}/${service}`, targets, names: outsideNames, force }),
        timeoutMs: 30_000,
        outputBytes: 65_536,
      },
    )
    if (result.exitCode !== 0) throw new Error(`the isolation check could not run: ${result.stderr}`)
    return JSON.parse(result.stdout.toString()) as Attempt
  }

  /** The same attempt from where it must succeed. */
  const control = async (networkMode: string, targets: readonly Place[], names: readonly string[] = []): Promise<Attempt> => {
    const order = JSON.stringify({ nonce: `${nonce}/control`, targets, names, force: false })
    const script = `${names.length > 0 ? `echo nameserver ${far} > /etc/resolv.conf; ` : ''}printf %s "$0" | python3 /opt/probe/reach.py try`
    const output = await runHelper(['sh', '-c', script, order], { NetworkMode: networkMode })
    return JSON.parse(/\{"answered.*\}/.exec(output)?.[0] ?? '{"answered":[],"forced":false,"addresses":[]}') as Attempt
  }

  const startNeighbour = async () => {
    const topology = { services: [bare('target', { command: listen })], readyTimeoutSeconds: 30 }
    await engine.create({ id: ids.neighbour, deadline: marks.deadline, topology })
    return docker.getContainer(containerName(ids.neighbour, 'target'))
  }

  const startInside = () => {
    const services = [bare('plain'), bare('admin', { capabilities: ['NET_ADMIN', 'NET_RAW'] })]
    return engine.create({ id: ids.inside, deadline: marks.deadline, topology: { services, readyTimeoutSeconds: 30 } })
  }

  const find = async (): Promise<IsolationFinding[]> => {
    const [host, outside, neighbour] = await allOrNone<[Container, Container, Container, unknown]>([
      startHelper(listen, { NetworkMode: 'host' }),
      startOutside(),
      startNeighbour(),
      startInside(),
    ])
    const containers = [host, outside, neighbour]
    const listeners = await Promise.all(containers.map((container) => whereItListens(clock, container)))
    const everywhere = listeners.flatMap(placesOf)
    const networks = ['host', 'host', networkName(ids.neighbour, 'lan')]
    const [controls, named, plain, admin] = await Promise.all([
      Promise.all(listeners.map((listener, index) => control(networks[index] as string, placesOf(listener)))),
      control('host', [], outsideNames),
      attempt('plain', everywhere, false),
      attempt('admin', everywhere, true),
    ])
    const arrivals = await Promise.all(containers.map(logOf))

    const reached = (index: number, service: string, answered: readonly string[]): string[] => {
      const mine = answered.filter((label) => listeners[index]?.addresses.includes(label.split(' ')[1] ?? ''))
      const received = new RegExp(`"via": "(\\w+)", "nonce": "${nonce}/${service}/([^/"]+)/([^"]+)"`, 'g')
      const silent = [...(arrivals[index] ?? '').matchAll(received)].map(([, via, manner, address]) => `${via} ${address} ${manner}`)
      return [...new Set([...mine, ...silent])]
    }
    const finding = (check: string, leaks: readonly string[], able = true): IsolationFinding => ({
      check,
      passed: leaks.length === 0 && able,
      detail:
        leaks.length > 0 ? `reached: ${leaks.join(', ')}` : able ? 'nothing answered, nothing arrived' : 'the routes could not be made',
    })
    /** Networks of others come and go on a busy host: an address that left meanwhile is no control. */
    const lastingAddresses = (index: number): readonly string[] => {
      const addresses = listeners[index]?.addresses ?? []
      return index === 0 ? addresses.filter((address) => controls[0]?.addresses.includes(address)) : addresses
    }
    const resolvedBy = ({ answered }: Attempt) => answered.filter((label) => label.startsWith('name '))

    return [
      ...['the host', 'the world outside', 'another sandbox'].flatMap((place, index) => {
        const lasting = lastingAddresses(index)
        const expected = lasting.length * 2
        const seen = controls[index]?.answered.filter((label) => lasting.includes(label.split(' ')[1] ?? '')).length
        return [
          {
            check: `control: ${place} answers where it should`,
            passed: expected > 0 && seen === expected,
            detail: `${seen} of ${expected} attempts answered`,
          },
          finding(`${place} is out of reach`, reached(index, 'plain', plain.answered)),
          finding(`${place} is out of reach with NET_ADMIN and forced routes`, reached(index, 'admin', admin.answered), admin.forced),
        ]
      }),
      {
        check: 'control: outside names resolve where they should',
        passed: resolvedBy(named).length === outsideNames.length,
        detail: `${resolvedBy(named).length} of ${outsideNames.length} names resolved`,
      },
      finding('outside names do not resolve', [...resolvedBy(plain), ...resolvedBy(admin)]),
    ]
  }

  try {
    return await find()
  } finally {
    await Promise.all(Object.values(ids).map((id) => engine.destroy(id)))
  }
}
