// Sequences that run out soon, give what was given, or leap: nothing happens until the next customers come.

import { changeKind } from '../../changes/change-kind.ts'
import { literal, sql, tableName } from '../../changes/shell.ts'

export const kind = changeKind({
  means: 'sequences near their end, behind, or leaping',
  candidates: ({ seen }) =>
    seen.databases.flatMap((database) =>
      database.sequences.flatMap((sequence) => {
        const name = tableName(sequence)
        const at = `(SELECT last_value FROM ${name})`
        const limit = (maximum: string) => `SELECT format('ALTER SEQUENCE %s MAXVALUE %s', ${literal(name)}, ${maximum})`
        const run = (statement: string) => sql(database, `DO $do$ BEGIN EXECUTE (${statement}); END $do$`)
        const one = (what: string, step: ReturnType<typeof sql>) => ({
          name: `${database.service}: ${sequence.schema}.${sequence.name}: ${what}`,
          steps: [step],
        })
        return [
          one('ends after 50 more', run(limit(`${at} + 50`))),
          one('ends after 50,000 more', run(limit(`${at} + 50000`))),
          one(
            'is set near its end',
            sql(
              database,
              `SELECT setval(${literal(name)}, (SELECT seqmax - 40 FROM pg_sequence WHERE seqrelid = ${literal(name)}::regclass))`,
            ),
          ),
          one('was set beyond what programs can count', sql(database, `SELECT setval(${literal(name)}, 9007199254740993)`)),
          one('begins again', sql(database, `SELECT setval(${literal(name)}, 1, false)`)),
          one('is some behind', sql(database, `SELECT setval(${literal(name)}, greatest(1, ${at} - 3))`)),
          one('goes round', run(`SELECT format('ALTER SEQUENCE %s MAXVALUE %s CYCLE', ${literal(name)}, ${at} + 100)`)),
          one('leaps by a million', sql(database, `ALTER SEQUENCE ${name} INCREMENT BY 1000000`)),
        ]
      }),
    ),
})
