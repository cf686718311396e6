// Data store: Mosquitto, or another MQTT 5 broker, by what its logins are let do.

import { z } from 'zod'
import { port, word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const login = z.string().min(1).max(255)
const topic = z.string().regex(/^[^$+#][^+#]*$/, 'must be a topic without + and #, and not one of the broker itself')

const schema = z
  .strictObject({
    logins: z.record(login, word).describe('The logins with their passwords: these work, and none that is guessed.'),
    reader: login.describe('The login that may read all that is retained.'),
    topics: z
      .array(topic)
      .describe(
        'The topics on which each login is tried; new ones below each part of them, and those of other names, are tried by themselves.',
      ),
    samples: z
      .array(
        z.strictObject({
          login: login.describe('Who publishes it.'),
          topic: topic.describe('Where.'),
          message: z.string().describe('What; `$nonce` is another text each time.'),
        }),
      )
      .default([])
      .describe('Messages that do no harm, by which is seen who reads a topic that retains nothing.'),
    revoked: z.record(login, word).default({}).describe('Logins that must not work, with the passwords they had.'),
    refused: z.array(word).default([]).describe('Passwords that must not work for anybody.'),
    port: port.default(1883).describe('Where MQTT is spoken.'),
    may_change: z
      .strictObject({ topics: z.array(z.string().min(1)).default([]).describe('Starts of topics whose retained messages may change.') })
      .prefault({})
      .describe('What a service or an honest repair may change of it.'),
  })
  .refine(({ logins, reader }) => logins[reader] !== undefined, 'the reader must be one of the logins')
  .refine(
    ({ logins, samples }) => samples.every((sample) => logins[sample.login] !== undefined),
    'who publishes a sample must be one of the logins',
  )

export const kind = dataStoreKind({
  seesTo: 'logins and their passwords, what each may publish and read, who is let in without a name, retained messages, and limits',
  schema,
  program: 'store_mosquitto.py',
  question: (service, { may_change: { topics }, ...spec }: z.output<typeof schema>) => ({
    ...spec,
    host: service,
    topics_may_change: topics,
  }),
  mayAppear: [],
})
