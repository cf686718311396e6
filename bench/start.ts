// Benchmark: warm and cold starts through the service, compared with a raw script on the Docker API and with docker-compose, for the
// same containers, waits and fault; alternating in one run.
// Usage: ./lab bench start [rounds]

import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { readConfig } from '../src/config.ts'
import { connectDocker } from '../src/engine/docker/connection.ts'
import { createImages } from '../src/engine/docker/images.ts'
import { ensureCompose, prepareCompose } from './lib/compose.ts'
import { median, milliseconds, timed } from './lib/figures.ts'
import { startRaw } from './lib/raw.ts'
import { report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const root = join(import.meta.dirname, '..')
const rounds = Number(process.argv[2] ?? 7)

await ensureCompose()
const server = await startBenchServer({ LAB_POOL: '1', LAB_ACCOUNT_SANDBOXES: '10' })
const docker = connectDocker(readConfig())
const instance = (await loadCatalog(join(root, 'scenarios'))).find('scenario-01').instantiate('bench')
const { referenceOf } = createImages(docker, join(root, 'images'))
const composed = await prepareCompose(docker, instance, referenceOf)

const isWarm = async () => (await server.call<{ warm: Record<string, number> }>('GET', '/labs/capacity')).warm['scenario-01'] === 1

const measured = { warm: [] as number[], cold: [] as number[], raw: [] as number[], compose: [] as number[] }
try {
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    while (!(await isWarm())) await delay(200)
    const cold = async (sink: number[]) => {
      let session_id = ''
      sink.push(
        await timed(async () => {
          session_id = (await server.start({ seed: `round-${round}` })).session_id as string
        }),
      )
      await server.stop(session_id)
    }
    await cold(measured.cold)
    let raw: Awaited<ReturnType<typeof startRaw>> | undefined
    measured.raw.push(
      await timed(async () => {
        raw = await startRaw(docker, instance, referenceOf)
      }),
    )
    await raw?.remove()
    measured.compose.push(await timed(composed.up))
    await composed.down()
    let session_id = ''
    measured.warm.push(
      await timed(async () => {
        session_id = (await server.start()).session_id as string
      }),
    )
    await server.stop(session_id)
  }
} finally {
  await composed.down()
  await composed.remove()
  await server.close()
}

const p50 = Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, median(values)])) as Record<
  keyof typeof measured,
  number
>
const ratio = (value: number) => `${value.toFixed(2)}x`
await report(
  'start',
  [
    {
      what: 'warm start, p50',
      ours: milliseconds(p50.warm),
      baseline: `${milliseconds(p50.raw)} raw script`,
      ratio: `${(p50.raw / p50.warm).toFixed(0)}x faster`,
      target: '≤ 50 ms, ≥ 10x faster',
      met: p50.warm <= 50 && p50.raw / p50.warm >= 10,
    },
    {
      what: 'cold start, p50',
      ours: milliseconds(p50.cold),
      baseline: `${milliseconds(p50.raw)} raw script`,
      ratio: ratio(p50.cold / p50.raw),
      target: '≤ 1.30x',
      met: p50.cold / p50.raw <= 1.3,
    },
    {
      what: 'cold start, p50',
      ours: milliseconds(p50.cold),
      baseline: `${milliseconds(p50.compose)} docker-compose`,
      ratio: ratio(p50.cold / p50.compose),
      target: '< 1x',
      met: p50.cold < p50.compose,
    },
  ],
  measured,
)
