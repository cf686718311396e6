// Cold start and exec through the service, against raw Docker API calls for the same containers, in turns, in one run.
// Usage: ./lab bench start [rounds]

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { printTable } from '../src/cli/lib/table.ts'
import { readConfig } from '../src/config.ts'
import { createImages } from '../src/engine/docker/images.ts'
import { openInstallation, startServer } from '../src/main.ts'
import { median, milliseconds, timed } from './lib/figures.ts'
import { execRaw, startRaw } from './lib/raw.ts'

const root = join(import.meta.dirname, '..')
const rounds = Number(process.argv[2] ?? 5)
const execs = 40

const dataDir = await mkdtemp(join(tmpdir(), 'incident-lab-bench-'))
const config = readConfig({ LAB_DATA_DIR: dataDir, LAB_PORT: '0', LAB_LOG_LEVEL: 'silent', LAB_ACCOUNT_SANDBOXES: '10' })
const server = await startServer(config, (message) => process.stderr.write(`${message}\n`))
const { store, accounts, docker, engine } = await openInstallation(config)
const { token } = await accounts.issueToken(await accounts.operator(), 'bench', 1)
const instance = (await loadCatalog(join(root, 'scenarios'))).find('scenario-01').instantiate('bench')
const images = createImages(docker, join(root, 'images'))

const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
  const answer = await fetch(`http://localhost:${server.port}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Record<string, string>
}

const starts = { ours: [] as number[], raw: [] as number[] }
const runs = { ours: [] as number[], raw: [] as number[] }

try {
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    let session_id = ''
    starts.ours.push(
      await timed(async () => {
        session_id = (await post('/sandbox/start', { course_id: 'scenario-01' })).session_id as string
      }),
    )
    for (let index = 0; index < execs; index += 1) {
      runs.ours.push(await timed(() => post('/sandbox/exec', { session_id, command: 'true' })))
    }
    await post('/sandbox/stop', { session_id })

    let raw: Awaited<ReturnType<typeof startRaw>> | undefined
    starts.raw.push(
      await timed(async () => {
        raw = await startRaw(docker, instance, images.referenceOf)
      }),
    )
    const workstation = raw?.containers.get('ops')
    if (workstation === undefined) throw new Error('the raw sandbox has no workstation')
    for (let index = 0; index < execs; index += 1) runs.raw.push(await timed(() => execRaw(workstation, ['sh', '-c', 'true'])))
    await raw?.remove()
  }
} finally {
  for (const trace of await engine.list()) await engine.destroy(trace.id)
  await store.close()
  await server.close()
  await rm(dataDir, { recursive: true, force: true })
}

const row = (what: string, { ours, raw }: typeof starts) => [
  what,
  milliseconds(median(ours)),
  milliseconds(median(raw)),
  `${(median(ours) / median(raw)).toFixed(2)}x`,
]
printTable([['p50', 'Incident Lab', 'raw Docker API', 'ratio'], row('cold start of scenario-01', starts), row('exec of `true`', runs)])
process.exit(0)
