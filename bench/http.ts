// Benchmark: the throughput of catalog reads compared with a bare Fastify route without credentials, limits, ids, logs and ETags; and
// the memory of the server under mixed requests of many clients.
// Usage: ./lab bench http [rounds] [seconds of mixed load]

import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { blast } from './lib/blast.ts'
import { median } from './lib/figures.ts'
import { processorTimeOf } from './lib/processor-time.ts'
import { report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const rounds = Number(process.argv[2] ?? 7)
const mixedSeconds = Number(process.argv[3] ?? 15)
const connections = 32
const roundSeconds = 2
const clients = 200
const leastShare = 80

const mixed = [
  '/courses',
  '/courses/scenario-01',
  '/glossary?limit=5',
  '/labs/capacity',
  '/settings/public',
  '/credits/packs',
  '/health',
  '/courses?limit=1',
]

const server = await startBenchServer(
  {
    LAB_POOL: 'off',
    LAB_LOG_LEVEL: 'info',
    LAB_RATE_LIMIT_SCALE: '1000',
    LAB_RATES_ANONYMOUS: 'read=999999,write=999999,start=999999,exec=999999,auth=999999',
  },
  'ignore',
)
const bare = fork(join(import.meta.dirname, 'lib/bare.ts'))
try {
  const port = Number(new URL(server.url).port)
  const sample = await fetch(`${server.url}/api/v1/courses`)
  const byServer = ['date', 'connection', 'keep-alive', 'content-length']
  const headers = Object.fromEntries([...sample.headers].filter(([name]) => !byServer.includes(name)))
  const body = await sample.text()
  const barePort = await new Promise<number>((resolve) => {
    bare.once('message', (value) => resolve(value as number))
    bare.send({ headers, body })
  })
  const fresh = await server.memory()
  const perSecond = { ours: [] as number[], bare: [] as number[] }
  const microseconds = { ours: [] as number[], bare: [] as number[] }
  const measure = async (who: 'ours' | 'bare', pid: number, on: number, path: string) => {
    const before = processorTimeOf(pid)
    const result = await blast(on, path, connections, roundSeconds)
    perSecond[who].push(result.perSecond)
    microseconds[who].push(((processorTimeOf(pid) - before) / (result.perSecond * roundSeconds)) * 1e6)
  }
  await blast(port, '/api/v1/courses', connections, 1)
  await blast(barePort, '/', connections, 1)
  for (let round = 0; round < rounds; round += 1) {
    await measure('ours', server.pid, port, '/api/v1/courses')
    await measure('bare', bare.pid as number, barePort, '/')
  }
  const [ours, plain] = [median(perSecond.ours), median(perSecond.bare)]
  const [cost, plainCost] = [median(microseconds.ours), median(microseconds.bare)]

  const before = await server.memory()
  let peak = before
  const watch = setInterval(async () => {
    peak = Math.max(peak, await server.memory())
  }, 1000)
  const load = await Promise.all(mixed.map((path) => blast(port, `/api/v1${path}`, clients / mixed.length, mixedSeconds)))
  clearInterval(watch)
  await delay(5_000)
  const after = await server.memory()

  const rate = (value: number) => `${Math.round(value)} / s`
  const megabytes = (value: number) => `${value.toFixed(0)} MB`
  const share = (100 * ours) / plain
  const costShare = (100 * plainCost) / cost
  const total = load.reduce((sum, one) => sum + one.perSecond, 0)
  await report(
    'http',
    [
      {
        what: `GET /courses, ${body.length} bytes`,
        ours: rate(ours),
        baseline: `${rate(plain)} bare Fastify`,
        ratio: `${share.toFixed(0)} %`,
        target: `≥ ${leastShare} %`,
        met: share >= leastShare,
      },
      {
        what: 'processor time of one of them',
        ours: `${cost.toFixed(1)} µs`,
        baseline: `${plainCost.toFixed(1)} µs bare Fastify`,
        ratio: `${costShare.toFixed(0)} %`,
        target: `≥ ${leastShare} %`,
        met: costShare >= leastShare,
      },
      { what: `${clients} clients, mixed reads, ${mixedSeconds} s`, ours: rate(total) },
      { what: 'server memory, idle', ours: megabytes(fresh), target: '< 150 MB', met: fresh < 150 },
      {
        what: 'with the clients, at most',
        ours: megabytes(peak),
        baseline: `${megabytes(before)} before`,
        ratio: `${(peak / before).toFixed(2)}x`,
      },
      { what: 'afterwards', ours: megabytes(after), baseline: `${megabytes(before)} before`, ratio: `${(after / before).toFixed(2)}x` },
    ],
    { perSecond, microseconds },
  )
} finally {
  bare.kill()
  await server.close()
}
