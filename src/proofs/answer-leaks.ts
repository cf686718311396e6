// Checks that nothing visible inside a sandbox gives the scenario away: its id, a line of its fault or of a solution.

import type { Attempt } from '../catalog/attempt-file.ts'
import type { Scenario } from '../catalog/scenario.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import type { Engine } from '../engine/engine.ts'

/** Prints what a user can easily see: environment, names, processes, recent files, logs, the container view. */
const gather = `
exec 2>/dev/null
env; hostname; cat /etc/hosts /etc/resolv.conf /etc/hostname
for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; tr '\\0' '\\n' < $p/environ; echo; done
for h in $(seq 1 14); do getent hosts "$(hostname -i | cut -d. -f1-3).$(( $(hostname -i | cut -d. -f4) / 16 * 16 + h ))" & done; wait
find / -xdev \\( -path /proc -o -path /sys -o -path /usr/share -o -path /usr/lib -o -path /var/lib \\) -prune -o -type f -newer /etc/hostname -size -256k -print -exec cat {} +
find /var/log /tmp /root /home /srv /etc /run -xdev -print
cat /var/log/*.log /var/log/*/*.log
cat /proc/self/mountinfo /proc/self/cgroup
if [ -S /var/run/docker.sock ]; then
  docker version; docker info; docker ps --all --no-trunc
  for c in $(docker ps --all --quiet); do docker inspect "$c"; docker logs "$c" 2>&1; docker top "$c"; done
fi
`

/** Lines that are long enough to be unique. */
const tellingLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= 24 && !line.startsWith('#'))

export const findAnswerLeaks = async (
  engine: Engine,
  sandbox: string,
  scenario: Scenario,
  instance: ScenarioInstance,
  solutions: readonly Attempt[],
): Promise<string[]> => {
  const faultLines = instance.fault.flatMap((step) => ('script' in step ? tellingLines(step.script) : []))
  const solutionLines = solutions.flatMap(({ steps }) => steps.flatMap((step) => tellingLines(step.run)))
  const secrets = [
    { what: 'the id of the scenario', texts: [scenario.id] },
    { what: 'a line of the fault', texts: faultLines },
    { what: 'a line of a solution', texts: solutionLines },
    { what: 'a name of the lab', texts: ['incident-lab', 'incident_lab', '/opt/probe', 'checks/', 'cheats/', 'solutions/'] },
  ]
  const found = await Promise.all(
    scenario.containers.map(async (service) => {
      const command = { argv: ['sh', '-s'], stdin: gather, timeoutMs: 30_000, outputBytes: 16 * 1024 * 1024 }
      const seen = (await engine.execDirect({ sandbox, service }, command)).stdout.toString()
      if (!seen.includes('PATH=')) return [`${service}: its files could not be read`]
      return secrets.flatMap(({ what, texts }) => {
        const text = texts.find((candidate) => seen.includes(candidate))
        return text === undefined ? [] : [`${service} shows ${what}: ${text.slice(0, 60)}`]
      })
    }),
  )
  return found.flat()
}
