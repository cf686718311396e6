// Network attacks of the isolation check: listeners run where nothing from a sandbox may arrive, and programs in a sandbox try to
// reach them, also with NET_ADMIN and forced routes. A failed attempt counts only if the same attempt succeeds where it should.

import { randomBytes } from 'node:crypto'
import type { Container } from 'dockerode'
import { z } from 'zod'
import { poll } from '../../../polling.ts'
import type { IsolationFinding } from '../../engine.ts'
import { call } from '../connection.ts'
import type { EngineFeatures } from '../engine-features.ts'
import { networkName } from '../network.ts'
import { listen, type Stage } from './attack-sandboxes.ts'
import { parseOutput, requireOutput } from './parse-output.ts'
import { listenOnServer } from './server-listener.ts'

const Listener = z.object({ addresses: z.array(z.string()), tcp: z.int(), udp: z.int() })
type Listener = z.infer<typeof Listener>

/** `addresses` are those of the place where the attempt was made, at its end. */
const Attempt = z.object({ answered: z.array(z.string()), forced: z.boolean(), addresses: z.array(z.string()) })
type Attempt = z.infer<typeof Attempt>

const listenerMs = 60_000
const outsideNames = ['example.com', 'debian.org', 'www.iana.org']
const places = ['the host', 'the internet', 'another sandbox', 'this machine']

interface Place {
  readonly address: string
  readonly tcp: number
  readonly udp: number
}

const attachmentsOf = ({ addresses, tcp, udp }: Listener): Place[] => addresses.map((address) => ({ address, tcp, udp }))

/** Imitates the internet: an address on a veth link that the host can route to. */
const outsideLink = (pid: number, device: string, near: string, far: string) =>
  [
    `ip link add ${device} type veth peer name far0 netns ${pid}`,
    `ip addr add ${near}/30 dev ${device}`,
    `ip link set ${device} up`,
    `nsenter --net=/proc/${pid}/ns/net sh -c "ip addr add ${far}/30 dev far0; ip link set far0 up; ip route add default via ${near}"`,
  ].join(' && ')

/** Waits for all starts even if one fails, so that nothing is created after the clean-up. */
const allOrNone = async <const Starts extends readonly Promise<unknown>[]>(starts: Starts) => {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}

export const createNetworkAttacks = (features: EngineFeatures, stage: Stage, seconds: number) => {
  const { tag, ids, startHelper, runHelper, logOf } = stage
  const nonce = randomBytes(8).toString('hex')
  const [near, far] = [1, 2].map((host) => `198.${18 + ((tag[0] as number) % 2)}.${tag[1]}.${((tag[2] as number) & 0xfc) + host}`) as [
    string,
    string,
  ]

  /** The first line that a listener prints. */
  const whereItListens = async (container: Container): Promise<Listener> => {
    const found = await poll(
      async () => parseOutput(await logOf(container), Listener),
      (listener) => listener !== null,
      { pauseMs: 25, withinMs: listenerMs },
    )
    if (found === null) throw new Error('the listener of the isolation check did not start')
    return found
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
    const order = JSON.stringify({ nonce: `${nonce}/${service}`, targets, names: outsideNames, force, seconds })
    return requireOutput(await stage.runInside(ids.inside, service, ['python3', '/opt/probe/network_attacks.py', 'try'], order), Attempt)
  }

  /** The same attempt from a place where it must succeed. */
  const control = async (networkMode: string, targets: readonly Place[], names: readonly string[] = []): Promise<Attempt> => {
    const order = JSON.stringify({ nonce: `${nonce}/control`, targets, names, force: false, seconds })
    const script = `${names.length > 0 ? `echo nameserver ${far} > /etc/resolv.conf; ` : ''}printf %s "$0" | python3 /opt/probe/network_attacks.py try`
    const output = await runHelper(['sh', '-c', script, order], { NetworkMode: networkMode, CapAdd: ['DAC_OVERRIDE'] })
    return parseOutput(output, Attempt) ?? { answered: [], forced: false, addresses: [] }
  }

  const start = () => allOrNone([startHelper(listen, { NetworkMode: 'host' }), startOutside(), stage.startNeighbour(), stage.startInside()])

  /** `attack` runs in parallel with the attempts, once both sandboxes are ready. */
  return async (attack: () => Promise<IsolationFinding[]>): Promise<IsolationFinding[]> => {
    const machine = await listenOnServer()
    try {
      const [onHost, outside, neighbour] = await start()
      const containers = [onHost, outside, neighbour]
      const listeners = [...(await Promise.all(containers.map(whereItListens))), machine.listener]
      const everywhere = listeners.flatMap(attachmentsOf)
      const [onHostPlaces, outsidePlaces, neighbourPlaces] = listeners.map(attachmentsOf) as [Place[], Place[], Place[]]
      const [atHost, atNeighbour, machineAnswers, plain, strong, attacks] = await Promise.all([
        control('host', [...onHostPlaces, ...outsidePlaces], outsideNames),
        control(networkName(ids.neighbour, 'lan'), neighbourPlaces),
        machine.control(),
        attempt('plain', everywhere, false),
        features.confinesCapabilities ? attempt('strong', everywhere, true) : null,
        attack(),
      ])
      const arrivals = [...(await Promise.all(containers.map(logOf))), machine.arrivals()]

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
      /** Other networks come and go on a busy host: an address that was removed meanwhile cannot answer. */
      const lastingAddresses = (index: number): readonly string[] => {
        const addresses = listeners[index]?.addresses ?? []
        return index === 0 ? addresses.filter((address) => atHost.addresses.includes(address)) : addresses
      }
      const controlOf = (index: number): { seen: number; expected: number } => {
        const lasting = lastingAddresses(index)
        const attempt = [atHost, atHost, atNeighbour][index]
        if (attempt === undefined) return { seen: machineAnswers, expected: lasting.length }
        const seen = attempt.answered.filter((label) => lasting.includes(label.split(' ')[1] ?? '')).length
        return { seen, expected: lasting.length * 2 }
      }
      const resolvedBy = (attempt: Attempt | null) => attempt?.answered.filter((label) => label.startsWith('name ')) ?? []

      return [
        ...places.flatMap((place, index) => {
          const { seen, expected } = controlOf(index)
          return [
            {
              check: `control: ${place} answers where it should`,
              passed: expected > 0 && seen === expected,
              detail: `${seen} of ${expected} attempts answered`,
            },
            finding(`${place} is out of reach`, reached(index, 'plain', plain.answered)),
            ...(strong === null
              ? []
              : [
                  finding(
                    `${place} is out of reach with NET_ADMIN and forced routes`,
                    reached(index, 'strong', strong.answered),
                    strong.forced,
                  ),
                ]),
          ]
        }),
        {
          check: 'control: outside names resolve where they should',
          passed: resolvedBy(atHost).length === outsideNames.length,
          detail: `${resolvedBy(atHost).length} of ${outsideNames.length} names resolved`,
        },
        finding('outside names do not resolve', [...resolvedBy(plain), ...resolvedBy(strong)]),
        ...attacks,
      ]
    } finally {
      machine.close()
    }
  }
}
