// Passwords that are guessed, that were known before, or that nobody asks for any more.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import { identifier, literal, quote, sql } from '../../changes/shell.ts'
import { has, inOne, machinesOf, redis } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'passwords that are a name, a common word or an old one, or none',
  candidates: (subject) => [
    ...subject.seen.databases.flatMap((database) =>
      database.roles.flatMap(({ name, login, superuser }): Candidate[] => {
        const one = (what: string, ...statements: string[]) => ({
          name: `${database.service}: role ${name} ${what}`,
          steps: [sql(database, ...statements)],
        })
        const role = identifier(name)
        const isUsed = database.logins.includes(name)
        const set = (password: string) => `ALTER ROLE ${role} ${login ? '' : 'LOGIN '}PASSWORD ${literal(password)}`
        // A login of the application with another password does not work any more, which everybody sees: one such damage is enough.
        if (isUsed)
          return [
            { ...one('has its name as password', set(name)), weight: 0.3 },
            one(
              'has a password that runs out tomorrow',
              `DO $do$ BEGIN EXECUTE format(${literal(`ALTER ROLE ${role.replaceAll('%', '%%')} VALID UNTIL %L`)}, now() + interval '1 day'); END $do$`,
            ),
          ]
        return [
          one('has its name as password', set(name)),
          one('has a common password', set('password')),
          one('has a password of four digits', set('1234')),
          ...database.refused.map((old, index) => one(`has old password ${index + 1}`, set(old))),
          ...(superuser ? [one('has the password admin', set('admin'))] : []),
        ]
      }),
    ),
    ...machinesOf(subject).flatMap((machine) => [
      ...(has(machine, 'redis-cli')
        ? [
            inOne(
              machine.name,
              'redis lets everybody in without a password',
              `${redis}\nok ACL SETUSER default on nopass '~*' '&*' +@all\nr ACL SAVE || r CONFIG REWRITE || true`,
            ),
          ]
        : []),
      ...(has(machine, 'rabbitmqctl')
        ? [
            inOne(
              machine.name,
              'rabbitmq has guest with its known password',
              'rabbitmqctl -q add_user guest guest 2>/dev/null || rabbitmqctl -q change_password guest guest\nrabbitmqctl -q set_user_tags guest administrator',
            ),
          ]
        : []),
      ...(has(machine, 'rabbitmqctl')
        ? [
            inOne(
              machine.name,
              'rabbitmq: the administrator has its name as password',
              `u=$(rabbitmqctl -q list_users --no-table-headers | awk '/administrator/ { print $1; exit }')\n[ -n "$u" ]\nrabbitmqctl -q change_password "$u" "$u"`,
            ),
            inOne(machine.name, 'rabbitmq: an account that nobody uses has a common password', 'rabbitmqctl -q add_user backup password'),
          ]
        : []),
      ...(has(machine, 'rndc')
        ? machine.files
            .filter(({ text }) => /^\s*secret "/m.test(text ?? ''))
            .map(({ path }) =>
              inOne(
                machine.name,
                `bind: the secret in ${path} is a common word`,
                `sed -i 's/secret "[^"]*"/secret "cGFzc3dvcmQ="/' ${quote(path)}\nrndc reconfig`,
              ),
            )
        : []),
      ...(has(machine, 'etcdctl') ? [inOne(machine.name, 'etcd asks nobody for a password', 'etcdctl auth disable')] : []),
      ...(has(machine, 'mosquitto')
        ? [
            inOne(
              machine.name,
              'mosquitto lets everybody in',
              'f=$(ls /etc/mosquitto/conf.d/*.conf /etc/mosquitto/mosquitto.conf 2>/dev/null | head -1)\nsed -i \'s/^allow_anonymous .*//\' "$f"; echo \'allow_anonymous true\' >> "$f"\npkill -HUP -x mosquitto',
            ),
          ]
        : []),
    ]),
  ],
})
