// Looks at a database and upkeep of it: nothing that it says differs.

import { changeKind } from '../../changes/change-kind.ts'
import { sql, tableName } from '../../changes/shell.ts'

export const kind = changeKind({
  means: 'looks at databases, and upkeep of them',
  candidates: ({ seen }) =>
    seen.databases.flatMap((database) => {
      const one = (what: string, ...statements: string[]) => ({
        name: `${database.service}: ${what}`,
        steps: [sql(database, ...statements)],
      })
      return [
        one('everything is vacuumed and analysed', 'VACUUM ANALYZE'),
        one('a checkpoint is made', 'CHECKPOINT'),
        one('settings are read again', 'SELECT pg_reload_conf()'),
        one(
          'a setting of the server is tried and taken back',
          "ALTER SYSTEM SET work_mem = '8MB'",
          'SELECT pg_reload_conf()',
          'ALTER SYSTEM RESET work_mem',
          'SELECT pg_reload_conf()',
        ),
        one('sessions and locks are looked at', 'SELECT count(*) FROM pg_stat_activity', 'SELECT count(*) FROM pg_locks'),
        ...database.tables.flatMap((table) => {
          const name = tableName(table)
          return [
            one(`${table.name} is analysed`, `ANALYZE ${name}`),
            one(`indexes of ${table.name} are built anew`, `REINDEX TABLE ${name}`),
            one(`indexes of ${table.name} are built anew beside the old ones`, `REINDEX TABLE CONCURRENTLY ${name}`),
            one(`${table.name} is read`, `SELECT count(*) FROM ${name}`, `BEGIN; SELECT * FROM ${name} ORDER BY 1 LIMIT 5; ROLLBACK`),
          ]
        }),
      ]
    }),
})
