// Secrets that lie open: in a copy that everybody may read, in a log, in what customers download, in the arguments of a program.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import type { DatabaseSeen } from '../../changes/inventory-schema.ts'
import { quote } from '../../changes/shell.ts'
import { inOne, type Machine, machinesOf, secretsOn } from '../../changes/subject.ts'

const isSecretFile = (path: string) => /passwd|\.key$|\.pem$|pgpass|netrc|secret|users\.acl/.test(path)

/** Folders from which customers are served. */
const publicFolders = ({ files }: Machine): string[] => [...new Set(files.flatMap(({ path }) => /^(.*\/www)\//.exec(path)?.[1] ?? []))]

const dumpOf = ({ service, database }: DatabaseSeen): Candidate =>
  inOne(
    service,
    `a dump of ${database} lies there for everybody`,
    `umask 022\ncd /var/tmp\nsetpriv --reuid=postgres --regid=postgres --init-groups pg_dump ${quote(database)} | gzip > dump.sql.gz\nzgrep -q CREATE dump.sql.gz`,
  )

export const kind = changeKind({
  means: 'secrets where others read them',
  candidates: (subject) => [
    ...subject.seen.databases.map(dumpOf),
    ...machinesOf(subject).flatMap((machine): Candidate[] => {
      const { name, files, logs } = machine
      const secrets = secretsOn(subject, machine)
      const log = logs.find((path) => path.split('/').length > 4) ?? logs[0]
      return [
        ...secrets.flatMap(({ name: secret, value }) => [
          inOne(name, `${secret} is in a note for everybody`, `umask 022\nprintf 'password: %s\\n' ${quote(value)} > /var/tmp/notes.txt`),
          inOne(
            name,
            `${secret} is in the arguments of a program`,
            `setsid sh -c ${quote(`while sleep 5; do :; done # --password=${value}`)} > /dev/null 2>&1 < /dev/null &`,
          ),
          ...(log === undefined
            ? []
            : [
                inOne(
                  name,
                  `${secret} is in ${log}`,
                  `printf 'connecting with %s\\n' ${quote(value)} >> ${quote(log)}\nchmod a+r ${quote(log)}`,
                ),
              ]),
          ...publicFolders(machine).map((folder) =>
            inOne(name, `${secret} can be downloaded`, `umask 022\nprintf '%s\\n' ${quote(value)} > ${quote(`${folder}/backup.txt`)}`),
          ),
        ]),
        ...(secrets.length === 0 ? [] : [inOne(name, 'its environment is in a file for everybody', 'umask 022\nenv > /var/tmp/env.txt')]),
        ...files
          .filter(({ path, text }) => isSecretFile(path) || secrets.some(({ value }) => text?.includes(value)))
          .flatMap(({ path }) => [
            inOne(name, `${path} was copied for everybody`, `install -m 644 ${quote(path)} /var/tmp/copy.bak`),
            inOne(name, `${path} was packed for everybody`, `umask 022\ntar czf /var/tmp/before.tgz ${quote(path)}`, 0.5),
          ]),
      ]
    }),
  ],
})
