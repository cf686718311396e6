// Shell scripts and SQL for changes, safe for every name that a scenario may have. A script that cannot do its change exits with another
// code than 0.

import type { ShellStep } from '../case-sandbox.ts'
import type { DatabaseSeen, TableSeen } from './inventory-schema.ts'

/** A word for sh. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A name for PostgreSQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string for PostgreSQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

export const tableName = ({ schema, name }: Pick<TableSeen, 'schema' | 'name'>): string => `${identifier(schema)}.${identifier(name)}`

const asPostgres = 'setpriv --reuid=postgres --regid=postgres --init-groups psql -qAtX -v ON_ERROR_STOP=1'

/** Runs statements as the superuser, each in a transaction of its own. */
export const psql = (database: string, ...statements: readonly string[]): string =>
  `cd /; ${asPostgres} -d ${quote(database)} ${statements.map((statement) => `-c ${quote(statement)}`).join(' ')}`

export const sql = ({ service, database }: Pick<DatabaseSeen, 'service' | 'database'>, ...statements: readonly string[]): ShellStep => ({
  in: service,
  run: `set -e\n${psql(database, ...statements)}\n`,
})

/** A statement that writes rows, and fails where it writes none. */
export const someRows = (statement: string): string => `WITH done AS (${statement} RETURNING 1) SELECT 1 / count(*) FROM done`

/** Replaces lines of a file, in place, if they are what was seen there. Owner and mode stay. */
export const replaceLines = (path: string, line: number, before: readonly string[], after: readonly string[]): string =>
  [
    'set -e',
    `f=${quote(path)}; t=$(mktemp)`,
    `[ "$(sed -n ${line},${line + before.length - 1}p "$f")" = ${quote(before.join('\n'))} ]`,
    `{ head -n ${line - 1} "$f"; ${after.map((text) => `printf '%s\\n' ${quote(text)}; `).join('')}tail -n +${line + before.length} "$f"; } > "$t"`,
    'cat "$t" > "$f"; rm -f "$t"',
    '',
  ].join('\n')

/** The same for one line; with undefined it is removed. */
export const replaceLine = (path: string, line: number, before: string, after: string | undefined): string =>
  replaceLines(path, line, [before], after === undefined ? [] : [after])
