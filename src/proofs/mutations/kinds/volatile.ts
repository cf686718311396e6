// What is kept in memory only: data that a restart of the machine, or a crash, takes away.

import { changeKind } from '../../changes/change-kind.ts'
import { quote, sql, tableName } from '../../changes/shell.ts'
import { inOne, machinesOf } from '../../changes/subject.ts'

export const kind = changeKind({
  means: 'services made volatile, tables unlogged',
  candidates: (subject) => [
    ...subject.seen.databases.flatMap((database) =>
      database.tables.map((table) => ({
        name: `${database.service}: ${table.schema}.${table.name} is not logged`,
        steps: [sql(database, `ALTER TABLE ${tableName(table)} SET UNLOGGED`)],
      })),
    ),
    ...machinesOf(subject).flatMap(({ name, dataFolders, environment }) => {
      const own = (environment.APP_DIRS ?? '').split(' ').filter((path) => path.startsWith('/') && !path.startsWith('/run'))
      return [...new Set([...dataFolders, ...own])].map((folder) =>
        inOne(
          name,
          `${folder} is in memory`,
          `t=/dev/shm/$(basename ${quote(folder)}).d\ncp -a ${quote(folder)} "$t"\nmv ${quote(folder)} ${quote(`${folder}.disk`)}\nln -s "$t" ${quote(folder)}`,
        ),
      )
    }),
  ],
})
