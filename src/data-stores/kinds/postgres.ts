// Data store: PostgreSQL.

import { z } from 'zod'
import { word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const role = z.string().regex(/^[a-z_][a-z0-9_]*$/, 'must be the name of a role')
const settings = z.array(z.string().regex(/^[a-z_.]+$/, 'must be the name of a setting'))

const schema = z.strictObject({
  database: z.string().min(1).describe('The database of the incident.'),
  user: role.describe('The role that looks at it; it needs SELECT on sequences, and no other right.'),
  password: word.describe('Its password.'),
  logins: z.record(role, word).describe('The roles that log in by themselves, with their passwords: these work, and none that is guessed.'),
  refused: z.array(word).default([]).describe('Passwords that must not work for anybody, such as those of before a rotation.'),
  may_change: z
    .strictObject({
      logins: z.array(role).default([]).describe('Roles that a repair may lock and unlock.'),
      settings: settings.default([]).describe('Settings that a repair may change, for the server, a role or a database.'),
    })
    .prefault({})
    .describe('What an honest repair may change of it.'),
})

export const kind = dataStoreKind({
  seesTo:
    'roles and their passwords, rights, settings, tables with their columns, constraints and triggers, views, indexes, types, functions, sequences and their room, and what the server itself is built of',
  schema,
  program: 'store_postgres.py',
  rowsProgram: 'postgres_rows.py',
  question: (service, { may_change: { logins, settings: mayChange }, ...spec }: z.output<typeof schema>) => ({
    ...spec,
    host: service,
    login_may_change: logins,
    settings_may_change: mayChange,
  }),
  // What may do harm has other first words (pg_things.py).
  mayAppear: ['table', 'index', 'type'],
})
