// Three Redis servers, each with a sentinel, for suites that damage them.

import type { ServiceSpec } from '../../src/engine/topology.ts'
import { bareService } from '../contract/fixture.ts'

export const machines = ['kv-1', 'kv-2', 'kv-3'] as const
export type Machine = (typeof machines)[number]
export const words = { admin: 'herringandcod', shop: 'quaysideledger', replica: 'saltandrope', sentinel: 'lampatnight' }

const files = {
  'redis.conf': `
bind * -::*
port 6379
protected-mode yes
dir /var/lib/redis
logfile /var/log/redis/redis-server.log
aclfile /etc/redis/users.acl
appendonly yes
appendfsync everysec
save ""
min-replicas-to-write 1
min-replicas-max-lag 5
shutdown-timeout 1
masteruser replica
masterauth ${words.replica}
repl-diskless-sync-delay 0
repl-ping-replica-period 1
maxmemory 32mb
maxmemory-policy noeviction
rename-command DEBUG ""
`,
  'users.acl': `user default off resetpass ~* &* +@all
user admin on >${words.admin} ~* &* +@all
user replica on >${words.replica} resetchannels -@all +psync +replconf +ping
user sentinel on >${words.sentinel} resetchannels &* -@all +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill
user shop on >${words.shop} ~basket:* resetchannels -@all +@read +@write -@dangerous
`,
  'sentinel.conf': `port 26379
dir /var/lib/redis
logfile /var/log/redis/redis-sentinel.log
requirepass ${words.sentinel}
sentinel monitor tide master 6379 2
sentinel auth-user tide sentinel
sentinel auth-pass tide ${words.sentinel}
sentinel down-after-milliseconds tide 2000
sentinel failover-timeout tide 6000
`,
}

/** Three machines with Redis and a sentinel each; kv-2 begins as master. */
export const redisCluster: ServiceSpec[] = machines.map((name) => ({
  ...bareService(name, { memoryBytes: 64 * 1024 ** 2, pids: 60 }),
  image: 'redis',
  command: ['redis-machine'],
  environment: { REDIS_MASTER: 'kv-2', REDIS_REPLICAS: machines.join(' '), REDIS_GROUP: 'tide' },
  files: Object.entries(files).map(([file, content]) => ({
    path: `/etc/redis/${file}`,
    content: Buffer.from(content),
    executable: false,
  })),
  ready: { tcp: { host: name, port: 26_379 } },
}))
