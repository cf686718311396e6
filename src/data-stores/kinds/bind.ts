// Data store: BIND, the name servers of zones, by what they answer to whom.

import { z } from 'zod'
import { port, serviceName, word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const domain = z.string().regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, 'must be a name such as example.internal, without a dot at its end')
const keyName = z.string().regex(/^[a-z0-9._-]+$/, 'must be the name of a key')
const algorithm = z.enum(['hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'])

const schema = z
  .strictObject({
    zones: z.array(domain).min(1).describe('The zones that it serves.'),
    secondaries: z.array(serviceName).default([]).describe('The services that hold copies of them; this one is the primary.'),
    keys: z.record(keyName, word).default({}).describe('Names of keys with their secrets, in base64: what each of them may do is tried.'),
    algorithm: algorithm.default('hmac-sha256').describe('Of all these keys.'),
    reader: keyName.optional().describe('The key by which zones are fetched; left out: everybody may.'),
    names: z
      .array(domain)
      .default([])
      .describe('Names at and below which updates are tried, such as the one that a program may change; a zone itself always is.'),
    port: port.default(53).describe('Where DNS is spoken.'),
  })
  .refine(({ keys, reader }) => reader === undefined || keys[reader] !== undefined, 'the reader must be one of the keys')

export const kind = dataStoreKind({
  seesTo:
    'what each server answers for its zones and for others, which keys it knows, who may fetch a zone and change what in it, with each key and without, names that stand for others, and that all servers hold the same',
  schema,
  program: 'store_bind.py',
  rowsProgram: 'bind_rows.py',
  question: (service, { secondaries, keys, algorithm: of, reader, ...spec }: z.output<typeof schema>) => ({
    ...spec,
    servers: [service, ...secondaries],
    keys: Object.fromEntries(Object.entries(keys).map(([name, secret]) => [name, { algorithm: of, secret }])),
    reader: reader ?? null,
  }),
  mayAppear: [],
})
