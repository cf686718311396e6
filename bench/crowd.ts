// Benchmark: many sandboxes at once on this machine. Start latency by the number of running sandboxes, memory per sandbox, exec
// latency with all of them running, and starts per minute.
// Usage: ./lab bench crowd [sandboxes]

import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { median, milliseconds, timed } from './lib/figures.ts'
import { plotSvg } from './lib/plot.ts'
import { report, resultFile } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const count = Number(process.argv[2] ?? 100)
const startsAtOnce = 2
const execs = 100

const server = await startBenchServer({
  LAB_POOL: 'off',
  LAB_CAPACITY: String(count),
  LAB_ACCOUNT_SANDBOXES: String(count),
  LAB_LINGER_MINUTES: '60',
})
const availableMb = async () => Number(/^MemAvailable:\s+(\d+)/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]) / 1024

const sessions: string[] = []
const points: [number, number][] = []
const execTimes = async (): Promise<number[]> => {
  const times: number[] = []
  for (const session of sessions) await server.exec(session) // the first command in a container starts its runner
  for (let index = 0; index < execs; index += 1) {
    const session = sessions[index % sessions.length] as string
    times.push(await timed(() => server.exec(session)))
  }
  return times
}

try {
  const idle = { server: await server.memory(), available: await availableMb() }
  sessions.push((await server.start()).session_id as string)
  const alone = await execTimes()
  const startMs = await timed(async () => {
    const starter = async () => {
      while (sessions.length < count) {
        const living = sessions.length
        sessions.push('')
        const slot = sessions.length - 1
        points.push([
          living,
          await timed(async () => {
            sessions[slot] = (await server.start()).session_id as string
          }),
        ])
        if (points.length % 10 === 0) process.stderr.write(`${points.length + 1} of ${count}\n`)
      }
    }
    await Promise.all(Array.from({ length: startsAtOnce }, starter))
  })
  await delay(5_000)
  const memory = { server: await server.memory(), perSandbox: (idle.available - (await availableMb())) / count }
  const crowded = await execTimes()
  const answers = await Promise.all(sessions.map(async (session) => (await server.exec(session, 'hostname')).stdout))
  const answering = answers.filter((name) => name === 'ops\n').length
  const afterwards = await server.memory()

  await writeFile(
    await resultFile('crowd.svg'),
    plotSvg({ title: 'Cold start of scenario-01', x: 'sandboxes that live already', y: 'milliseconds', points }),
  )
  await report(
    'crowd',
    [
      {
        what: 'sandboxes alive, all answering exec',
        ours: `${answering} of ${count}`,
        target: 'all of 100',
        met: answering === count && count >= 100,
      },
      { what: 'server memory, idle', ours: `${idle.server.toFixed(0)} MB`, target: '< 150 MB', met: idle.server < 150 },
      {
        what: `server memory, ${count} sandboxes`,
        ours: `${Math.max(memory.server, afterwards).toFixed(0)} MB`,
        target: '< 300 MB',
        met: Math.max(memory.server, afterwards) < 300,
      },
      { what: 'memory of one sandbox, all told', ours: `${memory.perSandbox.toFixed(0)} MB` },
      {
        what: 'exec with all alive, p50',
        ours: milliseconds(median(crowded)),
        baseline: `${milliseconds(median(alone))} with one`,
        ratio: `${(median(crowded) / median(alone)).toFixed(2)}x`,
      },
      { what: `starts a minute, sustained, ${startsAtOnce} at once`, ours: ((points.length / startMs) * 60_000).toFixed(1) },
      {
        what: 'cold start, the last ten',
        ours: milliseconds(median(points.slice(-10).map(([, ms]) => ms))),
        baseline: `${milliseconds(median(points.slice(0, 10).map(([, ms]) => ms)))} the first ten`,
        ratio: `${(median(points.slice(-10).map(([, ms]) => ms)) / median(points.slice(0, 10).map(([, ms]) => ms))).toFixed(2)}x`,
      },
    ],
    { points, alone, crowded, idle, memory, afterwards },
  )
} finally {
  await server.close()
}
