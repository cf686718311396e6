// Creates the networks of a sandbox: internal bridges without an address on the host, each in a /28 of the pool.

import { createHash } from 'node:crypto'
import type { NetworkCreateOptions } from 'dockerode'
import { LabError, messageOf } from '../../errors.ts'
import { call, type Docker, statusCodeOf } from './connection.ts'
import { labelKeys, labelsFor, type NetworkAttachment, type ObjectLabels } from './labels.ts'

/** The prefix of the interface names of our bridges, by which the firewall rules match them. */
export const bridgePrefix = 'ilab'

/** An address of TEST-NET-1, where nothing answers: external names do not resolve. */
export const deadResolver = '192.0.2.1'

const subnetBits = 28
const subnetSize = 2 ** (32 - subnetBits)
/** A /28 without the network address, the bridge's, the broadcast address and the probe's. */
export const maxServices = subnetSize - 4
const maxAttempts = 512

export type NetworkShape = Pick<NetworkCreateOptions, 'Internal' | 'Options'>

/** The options of a network, given an id that is unique on the engine. */
export type ShapeNetwork = (id: string) => NetworkShape

/** The options that isolate a sandbox. The isolation check verifies that they work. */
export const isolatedNetwork: ShapeNetwork = (id) => ({
  Internal: true,
  Options: {
    'com.docker.network.bridge.name': `${bridgePrefix}${createHash('sha256').update(id).digest('hex').slice(0, 11)}`,
    'com.docker.network.bridge.inhibit_ipv4': 'true',
    'com.docker.network.bridge.enable_ip_masquerade': 'false',
  },
})

const toNumber = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const toAddress = (value: number) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

/** The subnets of a pool, each once, from a position that depends on the seed. */
export function* subnets(pool: string, seed: string): Generator<string> {
  const [base = '', bits = ''] = pool.split('/')
  const count = 2 ** (subnetBits - Number(bits))
  const aligned = Math.floor(toNumber(base) / (count * subnetSize)) * count * subnetSize
  const first = createHash('sha256').update(seed).digest().readUInt32BE() % count
  for (let step = 0; step < count; step += 1) {
    yield `${toAddress(aligned + ((first + step) % count) * subnetSize)}/${subnetBits}`
  }
}

export interface SandboxNetwork {
  readonly name: string
  readonly serviceAddress: (index: number) => string
  readonly probeAddress: string
}

/** Its name on the engine. */
export const networkName = (sandbox: string, network: string) => `${network}-${sandbox}`

const isOverlap = (error: unknown) => statusCodeOf(error) === 403 && /overlaps/i.test(messageOf(error))

/** The network that an address is in. */
export const subnetOf = (address: string): string => `${toAddress(Math.floor(toNumber(address) / subnetSize) * subnetSize)}/${subnetBits}`

const networkOptions = (labels: ObjectLabels, network: string, subnet: string, shape: ShapeNetwork): NetworkCreateOptions => ({
  ...shape(networkName(labels.sandbox, network)),
  Name: networkName(labels.sandbox, network),
  CheckDuplicate: true,
  Driver: 'bridge',
  EnableIPv6: false,
  IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
  Labels: { ...labelsFor(labels, 'network'), [labelKeys.network]: network },
})

/** Creates a lost network again with the same addresses. */
export const recreateNetwork = (docker: Docker, labels: ObjectLabels, { network, address }: NetworkAttachment, shape: ShapeNetwork) =>
  call(() => docker.createNetwork(networkOptions(labels, network, subnetOf(address), shape)))

export const createNetwork = async (
  docker: Docker,
  labels: ObjectLabels,
  network: string,
  pool: string,
  shape: ShapeNetwork,
): Promise<SandboxNetwork> => {
  let attempts = 0
  for (const subnet of subnets(pool, networkName(labels.sandbox, network))) {
    attempts += 1
    if (attempts > maxAttempts) break
    try {
      await docker.createNetwork(networkOptions(labels, network, subnet, shape))
      const base = toNumber(subnet.split('/')[0] as string)
      return {
        name: network,
        serviceAddress: (index) => toAddress(base + 2 + index),
        probeAddress: toAddress(base + subnetSize - 2),
      }
    } catch (error) {
      if (!isOverlap(error)) return call(() => Promise.reject(error))
    }
  }
  throw new LabError('engine_unavailable', 'there is no free network for another sandbox', {
    hint: 'try again later',
    retryAfterSeconds: 30,
    cause: new Error(`no free subnet in ${pool} after ${Math.min(attempts, maxAttempts)} tries: choose another LAB_SUBNET_POOL`),
  })
}
