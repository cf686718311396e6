// Data store: Redis, one server or a master with its replicas, and the sentinels that watch them.

import { z } from 'zod'
import { port, serviceName, word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const user = z.string().regex(/^[^\s]+$/, 'must be the name of a user')
const members = z.array(serviceName).min(1)

const sentinels = z.strictObject({
  members: members.optional().describe('The services that a sentinel runs on; left out: every member.'),
  port: port.default(26_379).describe('Where sentinels are asked.'),
  user: user.optional().describe('Who asks the sentinels; left out: `default`.'),
  password: word.optional().describe('The password of the sentinels; left out: they need none.'),
})

const schema = z.strictObject({
  members: members.optional().describe('The services that Redis runs on, master and replicas; left out: this one only.'),
  port: port.default(6379).describe('Where Redis is asked.'),
  user: user.optional().describe('Who looks at it, with the right to ask everything; left out: `default`.'),
  password: word.optional().describe('The password of that user; left out: nobody needs one.'),
  logins: z.record(user, word).default({}).describe('Users with their passwords: these work on every member, and none that is guessed.'),
  refused: z.array(word).default([]).describe('Passwords that must not work for anybody, such as those of before a rotation.'),
  sentinels: sentinels.optional().describe('The sentinels that watch it, where there are some.'),
  may_change: z
    .strictObject({
      passwords: z.array(user).default([]).describe('Users who may get other passwords.'),
      settings: z
        .array(z.string().regex(/^[a-z-]+$/, 'must be the name of a setting'))
        .default([])
        .describe('Settings that a repair may change, of Redis or of a sentinel (`masterauth`, `quorum`).'),
    })
    .prefault({})
    .describe('What an honest repair may change of it.'),
})

export const kind = dataStoreKind({
  seesTo:
    'users with their rights and passwords, settings, commands that were renamed, functions and modules of each member, that replicas hold what their master holds, and what sentinels are set to and know of',
  schema,
  program: 'store_redis.py',
  question: (service, { may_change, sentinels: watching, ...spec }: z.output<typeof schema>) => {
    const own = spec.members ?? [service]
    return {
      user: null,
      password: null,
      ...spec,
      members: own,
      sentinels: watching === undefined ? null : { user: null, password: null, members: own, ...watching },
      passwords_may_change: may_change.passwords,
      settings_may_change: may_change.settings,
    }
  },
  mayAppear: [],
})
