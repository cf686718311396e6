// Commands through POST /sandbox/exec, against raw `docker exec` through the API in the same container, in turns, in one run:
// one after the other, and twenty at once.
// Usage: ./lab bench exec [rounds]

import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../src/cli/lib/table.ts'
import { createClient } from '../src/client/client.ts'
import { readConfig } from '../src/config.ts'
import { openInstallation, startServer } from '../src/main.ts'
import { milliseconds, quantile, timed } from './lib/figures.ts'
import { execRaw } from './lib/raw.ts'

const rounds = Number(process.argv[2] ?? 5)
const execs = 40
const atOnce = 20

const dataDir = await mkdtemp(join(tmpdir(), 'incident-lab-bench-'))
const config = readConfig({ LAB_DATA_DIR: dataDir, LAB_PORT: '0', LAB_LOG_LEVEL: 'silent', LAB_RATE_LIMIT_SCALE: '1000' })
const server = await startServer(config, (message) => process.stderr.write(`${message}\n`))
const { store, accounts, docker, engine } = await openInstallation(config)
const { token } = await accounts.issueToken(await accounts.operator(), 'bench', 1)
const agent = new Agent({ keepAlive: true })

/** Client and server share this process and its processors, so the client is a plain one. */
const post = (path: string, body: unknown): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request({ port: server.port, path: `/api/v1${path}`, method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk
      })
      answer.on('end', () => (answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })

const figures = {
  single: { ours: [] as number[], raw: [] as number[] },
  crowd: { ours: [] as number[], raw: [] as number[] },
}

try {
  const { session_id, id } = await createClient({ rootUrl: `http://localhost:${server.port}`, token }).start({ course_id: 'scenario-01' })
  const container = docker.getContainer(`ops-${id}`)
  const ours = () => timed(() => post('/sandbox/exec', { session_id, command: 'true' }))
  const raw = () => timed(() => execRaw(container, ['sh', '-c', 'true']))
  const crowd = (way: () => Promise<number>) => Promise.all(Array.from({ length: atOnce }, way))
  const first = await ours()
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    for (let index = 0; index < execs; index += 1) figures.single.ours.push(await ours())
    for (let index = 0; index < execs; index += 1) figures.single.raw.push(await raw())
    figures.crowd.ours.push(...(await crowd(ours)), ...(await crowd(ours)))
    figures.crowd.raw.push(...(await crowd(raw)))
  }
  await post('/sandbox/stop', { session_id })

  const row = (what: string, part: number, { ours: mine, raw: plain }: typeof figures.single) => {
    const [a, b] = [quantile(mine, part), quantile(plain, part)]
    return [what, milliseconds(a), milliseconds(b), `${(b / a).toFixed(1)}x faster`]
  }
  printTable([
    ['exec of `true`', 'POST /sandbox/exec', 'raw docker exec', 'ratio'],
    ['the first in a container', milliseconds(first), '', ''],
    row('one at a time, p50', 0.5, figures.single),
    row('one at a time, p95', 0.95, figures.single),
    row(`${atOnce} at once, p50`, 0.5, figures.crowd),
    row(`${atOnce} at once, p95`, 0.95, figures.crowd),
  ])
} finally {
  for (const trace of await engine.list()) await engine.destroy(trace.id)
  await store.close()
  await server.close()
  await rm(dataDir, { recursive: true, force: true })
}
process.exit(0)
