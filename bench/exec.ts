// Benchmark: commands through POST /sandbox/exec, compared with `docker exec` and with the same calls to the Docker API, in the same
// container, alternating in one run: one after the other, and twenty at once.
// Usage: ./lab bench exec [rounds]

import { Agent, request } from 'node:http'
import { readConfig } from '../src/config.ts'
import { connectDocker } from '../src/engine/docker/connection.ts'
import { runCommand } from './lib/docker-command.ts'
import { milliseconds, quantile, timed } from './lib/figures.ts'
import { execRaw } from './lib/raw.ts'
import { report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const rounds = Number(process.argv[2] ?? 5)
const execs = 40
const atOnce = 20

const server = await startBenchServer({ LAB_POOL: 'off' })
const docker = connectDocker(readConfig())
const agent = new Agent({ keepAlive: true })

/** A minimal client, so that the service is measured. */
const post = (path: string, body: unknown): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
    const sent = request(`${server.url}/api/v1${path}`, { method: 'POST', agent, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk
      })
      answer.on('end', () => (answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })

const measured = {
  single: { ours: [] as number[], api: [] as number[], command: [] as number[] },
  crowd: { ours: [] as number[], api: [] as number[], command: [] as number[] },
}
let first = 0

try {
  const { session_id, id } = await server.start()
  const container = `ops-${id}`
  const ours = () => timed(() => post('/sandbox/exec', { session_id, command: 'true' }))
  const api = () => timed(() => execRaw(docker.getContainer(container), ['sh', '-c', 'true']))
  const command = () => timed(() => runCommand('docker', ['exec', container, 'sh', '-c', 'true']))
  const oneByOne = async (way: () => Promise<number>, sink: number[]) => {
    for (let index = 0; index < execs; index += 1) sink.push(await way())
  }
  const together = async (way: () => Promise<number>, sink: number[]) => {
    sink.push(...(await Promise.all(Array.from({ length: atOnce }, way))))
  }
  first = await ours()
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    for (const [name, way] of Object.entries({ ours, api, command })) await oneByOne(way, measured.single[name as 'ours'])
    for (const [name, way] of Object.entries({ ours, api, command })) await together(way, measured.crowd[name as 'ours'])
  }
} finally {
  await server.close()
}

const row = (what: string, mine: readonly number[], theirs: readonly number[], name: string, part: number, target?: number) => {
  const [a, b] = [quantile(mine, part), quantile(theirs, part)]
  const wanted = target === undefined ? {} : { target: `≥ ${target}x faster`, met: b / a >= target }
  return { what, ours: milliseconds(a), baseline: `${milliseconds(b)} ${name}`, ratio: `${(b / a).toFixed(1)}x faster`, ...wanted }
}
const { single, crowd } = measured
await report(
  'exec',
  [
    { what: 'exec of `true`, the first in a container', ours: milliseconds(first) },
    row('one at a time, p50', single.ours, single.command, 'docker exec', 0.5, 10),
    row('one at a time, p50', single.ours, single.api, 'Docker API', 0.5),
    row('one at a time, p95', single.ours, single.command, 'docker exec', 0.95),
    row(`${atOnce} at once, p50`, crowd.ours, crowd.command, 'docker exec', 0.5),
    row(`${atOnce} at once, p50`, crowd.ours, crowd.api, 'Docker API', 0.5),
  ],
  measured,
)
