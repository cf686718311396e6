// Data store: RabbitMQ with its management API.

import { z } from 'zod'
import { port, word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const login = z.string().min(1).max(255)
const policyKey = z.string().regex(/^[a-z-]+$/, 'must be a key of a policy, such as dead-letter-exchange')

const schema = z.strictObject({
  user: login.describe('Who looks at it, with the tag `administrator`.'),
  password: word.describe('Its password.'),
  logins: z.record(login, word).describe('The accounts with their passwords: these work, and none that is guessed.'),
  refused: z.array(word).default([]).describe('Passwords that must not work for anybody, such as those of before a rotation.'),
  unacknowledged: z
    .array(z.string().min(1))
    .default([])
    .describe('Queues whose consumers may take messages without confirming them; those of all others have to confirm.'),
  port: port.default(5672).describe('Where AMQP is spoken.'),
  management_port: port.default(15_672).describe('Where the management API is.'),
  may_change: z
    .strictObject({
      policies: z
        .array(policyKey)
        .default([])
        .describe('Keys of policies that a repair may set, change and take away, in whichever policy (`dead-letter-exchange`).'),
    })
    .prefault({})
    .describe('What an honest repair may change of it.'),
})

export const kind = dataStoreKind({
  seesTo:
    'accounts with their passwords, tags, rights and limits, virtual hosts, exchanges, queues and bindings, policies and parameters, whether consumers confirm, listeners, plugins, alarms and watermarks',
  schema,
  program: 'store_rabbitmq.py',
  question: (service, { may_change: { policies }, ...spec }: z.output<typeof schema>) => ({
    ...spec,
    host: service,
    policy_keys_may_change: policies,
  }),
  mayAppear: [],
})
