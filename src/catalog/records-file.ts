// The schema of records in scenario.yaml: rows that must stay, and those that customers write.

import { z } from 'zod'
import { pattern, serviceName, word } from '../probes/field-schemas.ts'
import { ProbeScript } from '../probes/kinds/script.ts'
import type { DataStore } from './data-store-file.ts'

export const setName = z.string().regex(/^[a-z][a-z0-9_]*$/)

/** What one act writes, beside its rate or the status that it expects. */
export const writes = z
  .record(setName, z.array(word).min(2))
  .optional()
  .describe('What it writes, by set of records: the key of the row and its fields, as the query or script of the set shows them.')

export type Writes = Readonly<Record<string, readonly string[]>> | undefined

const rows = z.union(
  [
    z.strictObject({
      in: serviceName.describe('The service, which is one of data_stores.'),
      query: z.string().min(1).describe('A query whose first column is the key of a row.'),
    }),
    z.strictObject({
      script: ProbeScript.describe('Prints one row a line, as a JSON list of texts; the first is its key.'),
    }),
  ],
  { error: 'must be { in: service, query: … } or { script: … }' },
)

export const recordSet = z.strictObject({
  rows: rows.describe('How the rows are read: with fields that a row has from its beginning to its end.'),
  settles_ms: z
    .int()
    .min(0)
    .max(12_000)
    .default(0)
    .describe('How long after its confirmation a write may take to be there; a backlog has the same time.'),
  may_wait: z
    .union([z.boolean(), pattern])
    .default(false)
    .describe(
      'True where a confirmed write waits during the incident, in a queue for instance: then a step of the scenario sees to its arrival. Or a regular expression for the whole key of those that may.',
    ),
  grows: z
    .boolean()
    .default(false)
    .describe('True for rows that a program of the sandbox adds by itself, such as an audit: those that are there at hand-over stay.'),
  tests: pattern
    .optional()
    .describe('Keys of rows that the person on call may write, as the brief says: a regular expression for the whole key.'),
})
export type RecordSetFile = z.infer<typeof recordSet>

/** A script in the format of the probe's programs. */
interface RowsSource {
  readonly text: string
  readonly env: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly stdin?: string
}

/** A set of rows, such as orders. */
export interface RecordSet {
  readonly name: string
  readonly source: RowsSource
  readonly settlesMs: number
  /** Keys of what may be missing. */
  readonly mayWait: RegExp | null
  /** Programs of the sandbox add rows by themselves. */
  readonly grows: boolean
  readonly tests: RegExp | null
}

const queryMs = 10_000

const sourceOf = ({ rows }: RecordSetFile, stores: readonly DataStore[], textOf: (path: string) => string): RowsSource => {
  if ('script' in rows) return { text: textOf(rows.script.run), env: rows.script.env, timeout_ms: rows.script.timeout_ms }
  const store = stores.find(({ service }) => service === rows.in)
  if (store?.rowsProgram === undefined) throw new Error(`${rows.in} is no data store that can be queried`)
  const stdin = JSON.stringify({ ...store.question, query: rows.query })
  return { text: `exec python3 /opt/probe/${store.rowsProgram}`, env: {}, timeout_ms: queryMs, stdin }
}

const wholeKey = (keys: string | boolean): RegExp | null => (keys === false ? null : new RegExp(keys === true ? '' : `^(?:${keys})$`))

export const recordSetsOf = (
  sets: Readonly<Record<string, RecordSetFile>>,
  stores: readonly DataStore[],
  textOf: (path: string) => string,
): RecordSet[] =>
  Object.entries(sets).map(([name, set]) => ({
    name,
    source: sourceOf(set, stores, textOf),
    settlesMs: set.settles_ms,
    mayWait: wholeKey(set.may_wait),
    grows: set.grows,
    tests: wholeKey(set.tests ?? false),
  }))
