// The shape of what an inventory of a sandbox finds.

import { z } from 'zod'

const Column = z.object({
  name: z.string(),
  type: z.string(),
  nullable: z.boolean(),
  /** Its default, or that it makes its values itself. */
  default: z.string().nullable(),
  primary: z.boolean(),
  unique: z.boolean(),
})
const Table = z.object({ schema: z.string(), name: z.string(), empty: z.boolean(), columns: z.array(Column) })
const OfTable = z.object({ schema: z.string(), table: z.string(), name: z.string() })
export const Database = z.object({
  tables: z.array(Table),
  sequences: z.array(z.object({ schema: z.string(), name: z.string() })),
  constraints: z.array(OfTable.extend({ type: z.string() })),
  indexes: z.array(OfTable.extend({ unique: z.boolean() })),
  triggers: z.array(OfTable),
  roles: z.array(z.object({ name: z.string(), login: z.boolean(), superuser: z.boolean() })),
})

export type TableSeen = z.infer<typeof Table>
export type DatabaseSeen = z.infer<typeof Database> & {
  readonly service: string
  readonly database: string
  /** Roles that log in by themselves. */
  readonly logins: readonly string[]
  /** Passwords that must not work. */
  readonly refused: readonly string[]
}

export interface FileSeen {
  readonly path: string
  readonly uid: number
  readonly mode: string
  /** Null where it is no text, or too long. */
  readonly text: string | null
}

export interface ServiceSeen {
  readonly files: readonly FileSeen[]
  readonly logs: readonly string[]
  readonly jobs: readonly string[]
  /** Folders below /var/lib that do not belong to root: what the programs of the service keep. */
  readonly dataFolders: readonly string[]
  /** Names of programs of stores that it has. */
  readonly tools: readonly string[]
  /** Executables that run. */
  readonly processes: readonly string[]
  /** What its own tools list: keys, queues, zones. */
  readonly contents: readonly string[]
}

export interface Inventory {
  readonly services: Readonly<Record<string, ServiceSeen>>
  readonly databases: readonly DatabaseSeen[]
}
