// Benchmark: the echo latency of keystrokes in one terminal, alone and while 50 others print. The ratio shows how much users affect
// each other.
// Usage: ./lab bench terminals [rounds] [other terminals]

import { fork, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { printTable } from '../src/cli/lib/table.ts'
import { createClient } from '../src/client/client.ts'
import { basePath } from '../src/contract/api-version.ts'
import { terminalLimits, terminalPath } from '../src/contract/terminal.ts'
import { run } from '../src/run-program.ts'
import { echoOfSocket } from './lib/echo.ts'
import { median, milliseconds, quantile } from './lib/figures.ts'
import type { LoadMessage } from './lib/socket-load.ts'

const root = join(import.meta.dirname, '..')
const rounds = Number(process.argv[2] ?? 5)
const others = Number(process.argv[3] ?? 50)
const keystrokes = 80
const settleMs = 2_000
const interrupt = '\x03'

const loads = {
  '`yes`': 'yes',
  'lines of text': `perl -e '$| = 1; while (1) { print "a line of text as a program logs it, not too long and not too short\\n" x 20; select undef, undef, undef, 0.1 }'`,
}

const dataDir = await mkdtemp(join(tmpdir(), 'incident-lab-bench-'))
const lab = join(root, 'lab')
const server = spawn(lab, ['up', '--port', '0', '--data', dataDir], {
  env: { ...process.env, LAB_CAPACITY: '100', LAB_ACCOUNT_SANDBOXES: '100', LAB_RATE_LIMIT_SCALE: '0' },
  stdio: ['ignore', 'pipe', 'ignore'],
})

const startLoad = () => {
  const child = fork(join(import.meta.dirname, 'lib/socket-load.ts'))
  return {
    /** Resolves with the number of received bytes when it is done. */
    tell: (message: LoadMessage): Promise<number> =>
      new Promise((resolve) => {
        child.once('message', (value) => resolve(value as number))
        child.send(message)
      }),
    end: () => child.disconnect(),
  }
}

/** Output from before the interrupt may still arrive. */
const untilQuiet = async ({ tell }: ReturnType<typeof startLoad>) => {
  for (let before = -1, now = await tell('bytes'); now !== before; now = await tell('bytes')) {
    before = now
    await delay(settleMs)
  }
}

let cleaning: Promise<void> | undefined
const cleanUp = () => {
  cleaning ??= run(lab, ['down', '--data', dataDir]).then(() => rm(dataDir, { recursive: true, force: true }))
  return cleaning
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cleanUp().finally(() => process.exit(1)))

type Figures = { p50: number[]; p95: number[]; rate: number[] }
const figures = new Map<string, Figures>()
const note = (name: string, echoes: readonly number[], rate = 0) => {
  const known = figures.get(name) ?? { p50: [], p95: [], rate: [] }
  known.p50.push(median(echoes))
  known.p95.push(quantile(echoes, 0.95))
  known.rate.push(rate)
  figures.set(name, known)
}

try {
  await new Promise<void>((resolve, reject) => {
    server.stdout?.once('data', () => resolve())
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const { url } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as { url: string }
  const token = (await run(lab, ['token', 'create', '--name', 'bench', '--data', dataDir])).trim()
  const client = createClient({ rootUrl: url, token })
  const sessions: string[] = []
  for (let index = 0; index <= Math.ceil(others / terminalLimits.perSandbox); index += 1) {
    process.stderr.write(`sandbox ${index + 1}\n`)
    sessions.push((await client.start({ course_id: 'scenario-01' })).session_id)
  }
  const [own = '', ...rest] = sessions
  const load = startLoad()
  const perSession = Math.ceil(others / rest.length)
  await load.tell({ open: { port: Number(new URL(url).port), path: basePath + terminalPath, token, sessions: rest, perSession } })
  const typing = await echoOfSocket(url, token, own)
  await typing.measure(keystrokes)
  await delay(settleMs)
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, command] of Object.entries(loads)) {
      const alone = await typing.measure(keystrokes)
      note(`alone, before ${name}`, alone)
      await load.tell({ type: `${command}\r` })
      await delay(settleMs)
      const [bytes, started] = [await load.tell('bytes'), performance.now()]
      const echoes = await typing.measure(keystrokes)
      note(`with ${others} x ${name}`, echoes, ((await load.tell('bytes')) - bytes) / (performance.now() - started) / 1000)
      await load.tell({ type: interrupt })
      await untilQuiet(load)
      const figure = (values: readonly number[]) => milliseconds(median(values))
      process.stderr.write(`round ${round + 1} of ${rounds}: ${figure(alone)} alone, ${figure(echoes)} with ${others} x ${name}\n`)
    }
  }
  load.end()
  typing.close()
} finally {
  await cleanUp()
}

const rows = Object.keys(loads).flatMap((name) => {
  const [alone, loaded] = [figures.get(`alone, before ${name}`), figures.get(`with ${others} x ${name}`)] as [Figures, Figures]
  const times = (key: 'p50' | 'p95') => `${(median(loaded[key]) / median(alone[key])).toFixed(2)}x`
  return [
    [`alone, before ${name}`, milliseconds(median(alone.p50)), '', milliseconds(median(alone.p95)), '', ''],
    [
      `with ${others} x ${name}`,
      milliseconds(median(loaded.p50)),
      times('p50'),
      milliseconds(median(loaded.p95)),
      times('p95'),
      `${median(loaded.rate).toFixed(1)} MB/s`,
    ],
  ]
})
printTable([['echo of a keystroke', 'p50', 'ratio', 'p95', 'ratio', 'the others'], ...rows])
process.exit(0)
