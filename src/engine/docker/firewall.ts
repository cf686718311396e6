// A bridge without an address still delivers what is sent to any address of the host. This drops it at the door:
// one rule for every bridge of ours, set from a container in the engine's own network namespace. The same container
// tells how many open files the engine allows at most.

import type { Command, CommandResult } from '../engine.ts'
import { bridgePrefix } from './network.ts'

const script = (verb: 'add' | 'remove') => `
set -u
failed=0
for tool in iptables ip6tables; do
  for variant in "$tool" "$tool-legacy"; do
    command -v "$variant" >/dev/null || continue
    if ${
      verb === 'add'
        ? `"$variant" -w 5 -C INPUT -i ${bridgePrefix}+ -j DROP 2>/dev/null || "$variant" -w 5 -I INPUT 1 -i ${bridgePrefix}+ -j DROP`
        : `"$variant" -w 5 -D INPUT -i ${bridgePrefix}+ -j DROP`
    }; then continue 2; fi
  done
  failed=1
done
ulimit -Hn
exit $failed`

export const firewallCommand = (verb: 'add' | 'remove'): Command => ({
  argv: ['sh', '-c', script(verb)],
  timeoutMs: 20_000,
  outputBytes: 16_384,
})

export const describeFailure = (result: CommandResult): string =>
  result.timedOut ? 'timed out' : result.stderr.toString().trim().split('\n').at(-1) || `exit code ${result.exitCode}`
