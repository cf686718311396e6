// What several classes of changes ask of a scenario.

import type { Secret } from '../../catalog/params.ts'
import { isBelow, isInitial } from '../../catalog/program-paths.ts'
import type { Guard } from '../../catalog/scenario-instance.ts'
import type { Candidate, Subject } from './change-kind.ts'
import type { FileSeen, ServiceSeen } from './inventory-schema.ts'

export interface Machine extends ServiceSeen {
  readonly name: string
  readonly guard: Guard
  readonly environment: Readonly<Record<string, string>>
}

/** Every service but the user's own machine, which is theirs to do with as they like. */
export const machinesOf = ({ instance, workstation, seen }: Subject): Machine[] =>
  instance.topology.services.flatMap(({ name, environment }) => {
    const [found, guard] = [seen.services[name], instance.guards[name]]
    return name === workstation || found === undefined || guard === undefined ? [] : [{ ...found, name, guard, environment }]
  })

export interface OwnFile extends FileSeen {
  readonly machine: string
  /** Whether a repair may change it, or some of its lines. */
  readonly open: boolean
  /** Whether it is watched byte for byte: a change is found without further ado, and hardly worth a trial. */
  readonly watched: boolean
}

export const ownFilesOf = (subject: Subject): OwnFile[] =>
  machinesOf(subject).flatMap(({ name, guard, files }) =>
    files
      .filter(({ path }) => !isInitial(path))
      .map((file) => {
        const open = Object.hasOwn(guard.settings, file.path) || isBelow(file.path, guard.mayChange)
        return { ...file, machine: name, open, watched: !open && isBelow(file.path, guard.intact) }
      }),
  )

export const weightOf = ({ open, watched }: OwnFile): number => (open ? 3 : watched ? 0.2 : 1)

/** The secrets that are in the environment or the files of a machine. */
export const secretsOn = (subject: Subject, machine: Machine): Secret[] => {
  const texts = [...Object.values(machine.environment), ...machine.files.map(({ text }) => text ?? '')]
  return subject.instance.secrets.filter(({ value }) => texts.some((text) => text.includes(value)))
}

export const has = ({ tools }: ServiceSeen, tool: string): boolean => tools.includes(tool)

/** A candidate of one script in one machine. */
export const inOne = (machine: string, what: string, run: string, weight?: number): Candidate => ({
  name: `${machine}: ${what}`,
  steps: [{ in: machine, run: `${run.startsWith('set -e\n') ? '' : 'set -e\n'}${run.trimEnd()}\n` }],
  ...(weight === undefined ? {} : { weight }),
})

/** redis-cli as somebody who may change settings: the administrator where there is one. */
export const redis =
  'r() { redis-cli --no-auth-warning --user admin "$@" 2>&1 || redis-cli --no-auth-warning "$@"; }\nok() { r "$@" | grep -qvE "^(ERR|NOAUTH|NOPERM|WRONGPASS|READONLY)" || exit 1; }'

/** Sets $v to the first virtual host of RabbitMQ that is not the default. */
export const firstVhost = `v=$(rabbitmqctl -q list_vhosts --no-table-headers | grep -v '^/$' | head -1)\n[ -n "$v" ]`

/** Adds a line to the options of BIND. */
export const bindOption = (line: string): string =>
  `f=/etc/bind/named.conf.options\n[ -f $f ]\nsed -i 's/^options {.*/&\\n\\t${line}/' $f\ngrep -qF '${line}' $f\nrndc reconfig`
