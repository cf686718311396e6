// A bridge without an address still delivers what is sent to any address of the host, and Docker takes its own rules away
// for a moment whenever it makes a network. Rules of ours, for every bridge of ours, close both doors: what comes in from a
// bridge is neither for the host nor to be routed anywhere. They are set from a container in the engine's own network
// namespace, which also tells how many open files the engine allows at most.

import type { Command, CommandResult } from '../engine.ts'
import { bridgePrefix } from './network.ts'

const rules = [
  `filter INPUT -i ${bridgePrefix}+ -j DROP`,
  // What stays on its bridge passes through here too where the kernel filters bridges.
  `mangle FORWARD -i ${bridgePrefix}+ -m physdev ! --physdev-is-bridged -j DROP`,
]

/**
 * What stays on a bridge is not followed as a connection: the table of connections is one for the whole host, and a single
 * sandbox could fill it. A kernel that cannot do this still has walls.
 */
const wishes = [`raw PREROUTING -i ${bridgePrefix}+ -j CT --notrack`]

const has = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -C $2')
const insert = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -I $2 1')
const remove = (rule: string) => rule.replace(/^(\w+) (\w+)/, '-t $1 -D $2')

const step = {
  add: (rule: string) => `"$variant" -w 5 ${has(rule)} 2>/dev/null || "$variant" -w 5 ${insert(rule)}`,
  remove: (rule: string) => `"$variant" -w 5 ${remove(rule)}`,
}

/** Both families; the older variant of the tool where the newer does not work on this kernel. */
const script = (verb: 'add' | 'remove') => `
set -u
failed=0
for tool in iptables ip6tables; do
  for variant in "$tool" "$tool-legacy"; do
    command -v "$variant" >/dev/null || continue
    if ${rules.map((rule) => `{ ${step[verb](rule)}; }`).join(' && ')}; then
      ${wishes.map((rule) => `{ ${step[verb](rule)}; } 2>/dev/null || true`).join('; ')}
      continue 2
    fi
  done
  failed=1
done
ulimit -Hn
exit $failed`

/** The lock of the tool is in a folder that belongs to a mapped user where there are such. */
export const firewallPowers = { NetworkMode: 'host', CapAdd: ['NET_ADMIN', 'NET_RAW', 'DAC_OVERRIDE'] }

export const firewallCommand = (verb: 'add' | 'remove'): Command => ({
  argv: ['sh', '-c', script(verb)],
  timeoutMs: 20_000,
  outputBytes: 16_384,
})

export const describeFailure = (result: CommandResult): string =>
  result.timedOut ? 'timed out' : result.stderr.toString().trim().split('\n').at(-1) || `exit code ${result.exitCode}`
