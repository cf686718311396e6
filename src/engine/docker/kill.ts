// Ends processes of a container from beside the engine: nothing inside has to help, and nothing inside can resist.

import type { HostConfig } from 'dockerode'
import type { Command, CommandResult } from '../engine.ts'
import { call, type Docker } from './connection.ts'

/** Kills the process group led by a process, given by its number on the engine's host. */
export type KillGroup = (leader: number, containerId: string) => Promise<void>

/**
 * Runs beside the engine with the leader's number and that of the container's main process. Kills the leader's group,
 * also when the leader itself has ended, and the foreground of its terminal; only in the container's own process namespace.
 */
const killScript = `
leader=$1
home=$(readlink "/proc/$2/ns/pid") || exit 0
groups=
for process in /proc/[0-9]*; do
  { read -r stat < "$process/stat"; } 2>/dev/null || continue
  set -- \${stat##*) }
  [ "$3" = "$leader" ] || { [ "$4" = "$leader" ] && [ "$3" = "$6" ]; } || continue
  [ "$(readlink "$process/ns/pid")" = "$home" ] && groups="$groups -$3"
done
[ -z "$groups" ] || kill -s KILL -- $groups`

/**
 * The same for groups whose numbers are those that the container itself sees. The first argument is the container's main
 * process; when that has ended, so has everything it could mean.
 */
const killInsideScript = `
main=$1
home=$(readlink "/proc/$main/ns/pid") || exit 0
shift
groups=
for line in $(grep -H ^NSpgid: /proc/[0-9]*/status 2>/dev/null | tr '\\t' ,); do
  case " $* " in *" \${line##*,} "*) ;; *) continue ;; esac
  host=\${line#*,}
  [ "$(readlink "\${line%%/status*}/ns/pid")" = "$home" ] && groups="$groups -\${host%%,*}"
done
[ -z "$groups" ] || kill -s KILL -- $groups`

const powers = { PidMode: 'host', CapAdd: ['KILL', 'SYS_PTRACE'] }
const order = (script: string, numbers: readonly number[]): Command => ({
  argv: ['sh', '-c', script, 'kill', ...numbers.map(String)],
  timeoutMs: 20_000,
  outputBytes: 4096,
})

export interface KillDeps {
  readonly docker: Docker
  readonly runEngineSide: (
    sandbox: string,
    command: Command,
    powers: Pick<HostConfig, 'CapAdd' | 'NetworkMode' | 'PidMode'>,
  ) => Promise<CommandResult>
}

export const createKill = ({ docker, runEngineSide }: KillDeps) => {
  const mainOf = async (container: string): Promise<number> => (await call(() => docker.getContainer(container).inspect())).State.Pid

  return {
    mainOf,

    group:
      (sandbox: string): KillGroup =>
      async (leader, container) => {
        const main = await mainOf(container)
        if (leader > 1 && main > 1) await runEngineSide(sandbox, order(killScript, [leader, main]), powers)
      },

    /** By the numbers that the container knows, unless it runs anew since `main` was its main process. */
    groupsInside: async (sandbox: string, container: string, main: number, leaders: readonly number[]): Promise<void> => {
      const wanted = leaders.filter((leader) => leader > 1)
      if (wanted.length === 0 || main <= 1 || (await mainOf(container)) !== main) return
      await runEngineSide(sandbox, order(killInsideScript, [main, ...wanted]), powers)
    },
  }
}

export type Kill = ReturnType<typeof createKill>
