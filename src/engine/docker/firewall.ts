// Firewall rules that drop everything from our bridges to the host or to be routed. They are needed because a bridge without an
// address still delivers packets for any address of the host, and because Docker removes its own rules for a moment whenever it
// creates a network. A container in the engine's network namespace sets them, and also reports the engine's limit of open files.

import type { Command, CommandResult } from '../engine.ts'
import { bridgePrefix } from './network.ts'

const rules = [
  `filter INPUT -i ${bridgePrefix}+ -j DROP`,
  // Bridged packets pass this chain too where the kernel has bridge-nf-call-iptables set.
  `mangle FORWARD -i ${bridgePrefix}+ -m physdev ! --physdev-is-bridged -j DROP`,
]

/**
 * Connections within a bridge are not tracked: the conntrack table is shared by the whole host, and one sandbox could fill it.
 * Optional: a kernel without this target still isolates sandboxes.
 */
const optionalRules = [`raw PREROUTING -i ${bridgePrefix}+ -j CT --notrack`]

const has = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -C $2')
const insert = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -I $2 1')
const remove = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -D $2')

const step = {
  add: (rule: string) => `"$variant" -w 5 ${has(rule)} 2>/dev/null || "$variant" -w 5 ${insert(rule)}`,
  remove: (rule: string) => `"$variant" -w 5 ${remove(rule)}`,
}

/** For IPv4 and IPv6; by iptables-legacy where iptables-nft does not work on this kernel. */
const script = (verb: 'add' | 'remove') => `
set -u
failed=0
for tool in iptables ip6tables; do
  for variant in "$tool" "$tool-legacy"; do
    command -v "$variant" >/dev/null || continue
    if ${rules.map((rule) => `{ ${step[verb](rule)}; }`).join(' && ')}; then
      ${optionalRules.map((rule) => `{ ${step[verb](rule)}; } 2>/dev/null || true`).join('; ')}
      continue 2
    fi
  done
  failed=1
done
ulimit -Hn
exit $failed`

/** DAC_OVERRIDE, because the folder of the iptables lock may belong to a mapped user. */
export const firewallPowers = { NetworkMode: 'host', CapAdd: ['NET_ADMIN', 'NET_RAW', 'DAC_OVERRIDE'] }

export const firewallCommand = (verb: 'add' | 'remove'): Command => ({
  argv: ['sh', '-c', script(verb)],
  timeoutMs: 20_000,
  outputBytes: 16_384,
})

export const describeFailure = (result: CommandResult): string =>
  result.timedOut ? 'timed out' : result.stderr.toString().trim().split('\n').at(-1) || `exit code ${result.exitCode}`
