// Lists that are newest first, and those of one moment in the order of ids; read in parts, each after a row of the part before.

import { sql } from 'kysely'

/** The time and the id of a row. */
export type Position = readonly [at: string, id: string]

export const comesAfter = (time: 'created_at' | 'started_at', [at, id]: Position) =>
  sql<boolean>`(${sql.ref(time)} < ${at} or (${sql.ref(time)} = ${at} and id > ${id}))`
