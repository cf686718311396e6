// Data store: a cluster of etcd.

import { z } from 'zod'
import { port, serviceName, word } from '../../probes/field-schemas.ts'
import { dataStoreKind } from '../data-store-kind.ts'

const user = z.string().min(1)

const schema = z.strictObject({
  members: z.array(serviceName).min(1).optional().describe('The services that are members of the cluster; left out: this one only.'),
  port: port.default(2379).describe('Where clients ask a member.'),
  peer_port: port.default(2380).describe('Where members ask each other, without TLS.'),
  user: user.default('root').describe('Who looks at it; it needs the role `root`.'),
  password: word.optional().describe('The password of that user; left out: nobody needs one.'),
  logins: z.record(user, word).default({}).describe('Users with their passwords: these work at every member, and none that is guessed.'),
  refused: z.array(word).default([]).describe('Passwords that must not work for anybody, such as those of before a rotation.'),
})

export const kind = dataStoreKind({
  seesTo:
    'users with their roles and passwords, what each role is granted, members with their addresses and votes, that they agree on all of it and in content, which keys have a lease, alarms, quotas and the room below them',
  schema,
  program: 'store_etcd.py',
  question: (service, spec: z.output<typeof schema>) => ({ members: [service], password: null, ...spec }),
  // Keys are made and deleted all the time; of those that are there, none that stays turns into one that has a lease (etcd_leases.py).
  mayAppear: ['lifetime'],
  mayVanish: ['lifetime', 'lease'],
})
