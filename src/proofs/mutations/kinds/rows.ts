// Rows deleted, changed, doubled and added: of before the hand-over, and such as customers made after it.

import { type Candidate, changeKind } from '../../changes/change-kind.ts'
import type { DatabaseSeen, TableSeen } from '../../changes/inventory-schema.ts'
import { pickOne, type Random } from '../../changes/random.ts'
import { identifier, psql, quote, someRows, sql, tableName } from '../../changes/shell.ts'

type Column = TableSeen['columns'][number]

/** How a value of this type becomes another one that is as plausible; undefined where nothing is known of the type. */
const otherValue = ({ name, type }: Column): string | undefined => {
  const column = identifier(name)
  if (/^(smallint|integer|bigint|numeric|real|double)/.test(type)) return `${column} + 1`
  if (/^(text|character|citext)/.test(type)) return `overlay(${column} placing 'x' from 1 for 1)`
  if (/^(timestamp|date)/.test(type)) return `${column} - interval '1 day'`
  return type === 'boolean' ? `NOT ${column}` : undefined
}

const numberKey = ({ columns }: TableSeen): Column | undefined => {
  const keys = columns.filter(({ primary }) => primary)
  return keys.length === 1 && /^(smallint|integer|bigint)$/.test(keys[0]?.type ?? '') ? keys[0] : undefined
}

/** One row, by its place on disk: a table need not have a key. */
const oneRow = (table: TableSeen, last: boolean): string => {
  const keys = table.columns.filter(({ primary }) => primary).map(({ name }) => `${identifier(name)}${last ? ' DESC' : ''}`)
  return `ctid = (SELECT ctid FROM ${tableName(table)}${keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`} LIMIT 1)`
}

/** A row like the one that is there, under keys of its own. */
const copyOf = (table: TableSeen, where: string): string => {
  const copied = table.columns.filter((column) => !(column.primary && column.default !== null) && column.default !== 'generated')
  const names = copied.map(({ name }) => identifier(name))
  const values = copied.map(({ name, type, unique }) => {
    if (!unique) return identifier(name)
    if (type === 'uuid') return 'gen_random_uuid()'
    if (/^(text|character)/.test(type)) return `overlay(${identifier(name)} placing 'zz' from 1 for 2)`
    return /^(smallint|integer|bigint)$/.test(type) ? `(SELECT max(${identifier(name)}) + 1 FROM ${tableName(table)})` : identifier(name)
  })
  return `INSERT INTO ${tableName(table)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${tableName(table)} WHERE ${where}`
}

const ofCustomers = (database: DatabaseSeen, table: TableSeen, key: Column, statement: (where: string) => string): string => {
  const newest = `SELECT coalesce(max(${identifier(key.name)}), 0) FROM ${tableName(table)}`
  return [
    'set -e',
    `last=$(${psql(database.database, newest)})`,
    `for i in $(seq 100); do now=$(${psql(database.database, newest)}); [ "$now" != "$last" ] && break; sleep 0.3; done`,
    '[ "$now" != "$last" ]',
    `cd /; printf '%s\\n' ${quote(someRows(statement(`${identifier(key.name)} = :'id'`)))} | setpriv --reuid=postgres --regid=postgres --init-groups psql -qAtX -v ON_ERROR_STOP=1 -v id="$now" -d ${quote(database.database)}`,
    '',
  ].join('\n')
}

const ofTable = (database: DatabaseSeen, table: TableSeen, random: Random): Candidate[] => {
  const name = (what: string) => `${database.service}: ${table.schema}.${table.name}: ${what}`
  const one = (what: string, statement: string): Candidate => ({ name: name(what), steps: [sql(database, someRows(statement))] })
  const t = tableName(table)
  const [first, last] = [oneRow(table, false), oneRow(table, true)]
  const changeable = table.columns.filter((column) => !column.primary && column.default !== 'generated' && otherValue(column) !== undefined)
  const column = pickOne(random, table.name, changeable)
  const change = (where: string) =>
    column === undefined
      ? []
      : [`UPDATE ${t} SET ${identifier(column.name)} = ${otherValue(column)} WHERE ${identifier(column.name)} IS NOT NULL AND ${where}`]
  const key = numberKey(table)
  const customers =
    key === undefined
      ? []
      : [
          { what: 'a row of a customer is deleted', make: (where: string) => `DELETE FROM ${t} WHERE ${where}` },
          ...(column === undefined
            ? []
            : [{ what: `${column.name} of a row of a customer is changed`, make: (where: string) => change(where)[0] as string }]),
          { what: 'a row of a customer is doubled', make: (where: string) => copyOf(table, where) },
        ].map(({ what, make }) => ({
          name: name(what),
          steps: [{ in: database.service, run: ofCustomers(database, table, key, make) }],
          weight: 0.7,
        }))
  return [
    one('the first row is deleted', `DELETE FROM ${t} WHERE ${first}`),
    one('the last row is deleted', `DELETE FROM ${t} WHERE ${last}`),
    ...change(first).map((statement) => one(`${column?.name} of the first row is changed`, statement)),
    ...change(last).map((statement) => one(`${column?.name} of the last row is changed`, statement)),
    one('the first row is doubled', copyOf(table, first)),
    one('a row is added that nobody asked for', copyOf(table, last)),
    ...customers,
  ]
}

export const kind = changeKind({
  means: 'rows deleted, changed, doubled, added',
  candidates: ({ seen }, random) =>
    seen.databases.flatMap((database) =>
      database.tables.filter(({ empty }) => !empty).flatMap((table) => ofTable(database, table, random)),
    ),
})
