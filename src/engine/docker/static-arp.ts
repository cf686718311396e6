// Sets static ARP entries in the probe, so that a service with NET_ADMIN cannot answer in the name of another service (ARP
// spoofing). Needed only where a service has that capability.

import type { ContainerInfo } from 'dockerode'
import type { Command, CommandResult } from '../engine.ts'
import type { ServiceSpec } from '../topology.ts'
import type { EngineSidePowers } from './container-options.ts'
import { labelKeys } from './labels.ts'

export interface StaticArpDeps {
  readonly containersOf: (sandbox: string) => Promise<readonly ContainerInfo[]>
  readonly runEngineSide: (sandbox: string, command: Command, powers: EngineSidePowers) => Promise<CommandResult>
}

const powers = ['NET_ADMIN', 'NET_RAW']

export const canSpoof = (services: readonly ServiceSpec[]): boolean =>
  services.some(({ capabilities }) => capabilities.some((capability) => powers.includes(capability)))

/** Reads lines of `address mac`; the device of each address is that of its route. */
const fix = `
set -eu
while read -r address mac; do
  device=$(ip -o route get "$address" | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
  ip neigh replace "$address" lladdr "$mac" dev "$device" nud permanent
done`

export const createStaticArp =
  ({ containersOf, runEngineSide }: StaticArpDeps) =>
  async (sandbox: string): Promise<void> => {
    const containers = await containersOf(sandbox)
    const probe = containers.find(({ Labels }) => Labels[labelKeys.role] === 'probe')
    const services = containers.filter(({ Labels }) => Labels[labelKeys.role] === 'service')
    const attachments = services.flatMap(({ NetworkSettings }) => Object.values(NetworkSettings.Networks))
    const lines = attachments.flatMap(({ IPAddress, MacAddress }) => (IPAddress && MacAddress ? [`${IPAddress} ${MacAddress}`] : []))
    if (probe === undefined || lines.length === 0) return
    const command = { argv: ['sh', '-c', `printf '%s\\n' "$@" | { ${fix}\n}`, 'sh', ...lines], timeoutMs: 20_000, outputBytes: 16_384 }
    const result = await runEngineSide(sandbox, command, { NetworkMode: `container:${probe.Id}`, CapAdd: ['NET_ADMIN'] })
    if (result.exitCode !== 0) throw new Error(`the static ARP entries of the probe could not be set: ${result.stderr.toString().trim()}`)
  }
