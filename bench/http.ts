// Catalog reads: how much of a bare Fastify route's throughput is left with credentials, limits, ids, logs and ETags; and
// what many clients with mixed requests do to the server's memory.
// Usage: ./lab bench http [rounds] [seconds of mixed load]

import { fork, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { printTable } from '../src/cli/lib/table.ts'
import { blast } from './lib/blast.ts'
import { median } from './lib/figures.ts'

const root = join(import.meta.dirname, '..')
const rounds = Number(process.argv[2] ?? 7)
const mixedSeconds = Number(process.argv[3] ?? 15)
const connections = 32
const roundSeconds = 2
const clients = 200

const dataDir = await mkdtemp(join(tmpdir(), 'incident-lab-bench-'))
const rates = 'read=999999,write=999999,start=999999,exec=999999,auth=999999'
const server = spawn(join(root, 'lab'), ['up', '--port', '0', '--data', dataDir], {
  env: { ...process.env, LAB_RATES_ANONYMOUS: rates, LAB_RATE_LIMIT_SCALE: '1000' },
  stdio: ['ignore', 'pipe', 'ignore'],
})
const bare = fork(join(import.meta.dirname, 'lib/bare.ts'))

const memory = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 2 ** 20
}

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

try {
  await new Promise<void>((resolve, reject) => {
    server.stdout?.once('data', () => resolve())
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const port = Number(new URL(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')).url).port)
  const sample = await fetch(`http://127.0.0.1:${port}/api/v1/courses`)
  const byServer = ['date', 'connection', 'keep-alive', 'content-length']
  const headers = Object.fromEntries([...sample.headers].filter(([name]) => !byServer.includes(name)))
  const body = await sample.text()
  const barePort = await new Promise<number>((resolve) => {
    bare.once('message', (value) => resolve(value as number))
    bare.send({ headers, body })
  })
  const fresh = await memory(port)
  const figures = { ours: [] as number[], bare: [] as number[] }
  await blast(port, '/api/v1/courses', connections, 1)
  await blast(barePort, '/', connections, 1)
  for (let round = 0; round < rounds; round += 1) {
    figures.ours.push((await blast(port, '/api/v1/courses', connections, roundSeconds)).perSecond)
    figures.bare.push((await blast(barePort, '/', connections, roundSeconds)).perSecond)
  }
  const [ours, plain] = [median(figures.ours), median(figures.bare)]

  const idle = await memory(port)
  let peak = idle
  const watch = setInterval(async () => {
    peak = Math.max(peak, await memory(port))
  }, 1000)
  const load = await Promise.all(mixed.map((path) => blast(port, `/api/v1${path}`, clients / mixed.length, mixedSeconds)))
  clearInterval(watch)
  await delay(5_000)
  const after = await memory(port)

  const rate = (value: number) => `${Math.round(value)} / s`
  printTable([
    ['', 'Incident Lab', 'bare Fastify', 'ratio'],
    ['GET /courses', rate(ours), rate(plain), `${((100 * ours) / plain).toFixed(0)} %`],
  ])
  const total = load.reduce((sum, { perSecond }) => sum + perSecond, 0)
  printTable([
    [`${clients} clients, mixed reads, ${mixedSeconds} s`, rate(total), ''],
    ['memory after the start', `${fresh.toFixed(0)} MB`, ''],
    ['memory before', `${idle.toFixed(0)} MB`, ''],
    ['memory at most', `${peak.toFixed(0)} MB`, `${(peak / idle).toFixed(2)}x`],
    ['memory afterwards', `${after.toFixed(0)} MB`, `${(after / idle).toFixed(2)}x`],
  ])
} finally {
  bare.kill()
  server.kill('SIGTERM')
  if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve))
  await rm(dataDir, { recursive: true, force: true })
}
