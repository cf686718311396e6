// Constraints, unique indexes, triggers and defaults dropped, weakened or added.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import type { DatabaseSeen } from '../../changes/inventory-schema.ts'
import { identifier, literal, sql, tableName } from '../../changes/shell.ts'

/** Runs a statement with a key for `%s` that is 5000 above the highest so far: only rows of some later day reach it. */
const later = (table: string, key: string, statement: string): string =>
  `DO $do$ BEGIN EXECUTE format(${literal(statement.replaceAll('%', '%%').replace('%%s', '%s'))}, (SELECT coalesce(max(${key}), 0) + 5000 FROM ${table})); END $do$`

const ofDatabase = (database: DatabaseSeen): Candidate[] => {
  const one = (what: string, ...statements: string[]): Candidate => ({
    name: `${database.service}: ${what}`,
    steps: [sql(database, ...statements)],
  })
  const of = ({ schema, table }: { schema: string; table: string }) => tableName({ schema, name: table })
  return [
    ...database.constraints.map((entry) =>
      one(
        `constraint ${entry.name} of ${entry.table} is dropped`,
        `ALTER TABLE ${of(entry)} DROP CONSTRAINT ${identifier(entry.name)} CASCADE`,
      ),
    ),
    ...database.constraints
      .filter(({ type }) => type === 'p' || type === 'u')
      .map((entry) =>
        one(
          `constraint ${entry.name} of ${entry.table} is not enforced`,
          `UPDATE pg_index SET indimmediate = false WHERE indexrelid = ${literal(tableName(entry))}::regclass`,
        ),
      ),
    ...database.indexes.map((entry) => one(`${entry.unique ? 'unique ' : ''}index ${entry.name} is dropped`, `DROP INDEX ${entry.name}`)),
    ...database.indexes
      .filter(({ unique }) => unique)
      .map((entry) =>
        one(
          `unique index ${entry.name} becomes a plain one`,
          `DO $do$ DECLARE d text := pg_get_indexdef(${literal(entry.name)}::regclass); BEGIN DROP INDEX ${entry.name}; EXECUTE replace(d, ' UNIQUE ', ' '); END $do$`,
        ),
      ),
    ...database.triggers.flatMap((entry) => [
      one(`trigger ${entry.name} of ${entry.table} is dropped`, `DROP TRIGGER ${identifier(entry.name)} ON ${of(entry)}`),
      one(`trigger ${entry.name} of ${entry.table} is disabled`, `ALTER TABLE ${of(entry)} DISABLE TRIGGER ${identifier(entry.name)}`),
    ]),
    ...database.tables.flatMap((table) => {
      const name = tableName(table)
      const key = table.columns.find(({ primary, type }) => primary && /^(integer|bigint)$/.test(type))
      return [
        ...table.columns
          .filter(({ default: value }) => value !== null && value !== 'generated')
          .map((column) =>
            one(
              `default of ${table.name}.${column.name} is dropped`,
              `ALTER TABLE ${name} ALTER COLUMN ${identifier(column.name)} DROP DEFAULT`,
            ),
          ),
        ...table.columns
          .filter(({ nullable, primary }) => !nullable && !primary)
          .map((column) =>
            one(`${table.name}.${column.name} may be null`, `ALTER TABLE ${name} ALTER COLUMN ${identifier(column.name)} DROP NOT NULL`),
          ),
        one(
          `a trigger of ${table.name} swallows some rows`,
          `CREATE FUNCTION public.tidy_row() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN IF random() < 0.01 THEN RETURN NULL; END IF; RETURN NEW; END $f$; CREATE TRIGGER tidy BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION public.tidy_row()`,
        ),
        one(`a rule of ${table.name} ignores deletes`, `CREATE RULE keep AS ON DELETE TO ${name} DO INSTEAD NOTHING`),
        ...(key === undefined
          ? []
          : [
              one(
                `a check of ${table.name} refuses rows from some number on`,
                later(name, identifier(key.name), `ALTER TABLE ${name} ADD CHECK (${identifier(key.name)} < %s)`),
              ),
              one(
                `an index of ${table.name} fails for rows from some number on`,
                later(name, identifier(key.name), `CREATE INDEX ON ${name} ((1 / greatest(%s - ${identifier(key.name)}, 0)))`),
              ),
              one(
                `a new table keeps rows of ${table.name} from being deleted`,
                `CREATE TABLE public.kept (id ${key.type} REFERENCES ${name} (${identifier(key.name)})); INSERT INTO public.kept SELECT ${identifier(key.name)} FROM ${name}`,
              ),
            ]),
      ]
    }),
  ]
}

export const kind = changeKind({
  means: 'constraints, indexes, triggers and defaults dropped or added',
  candidates: ({ seen }) => seen.databases.flatMap(ofDatabase),
})
