// Benchmark: how long a verdict takes, for a system that is still broken and for one that is repaired.
// Usage: ./lab bench grade [rounds]

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { median, milliseconds, timed } from './lib/figures.ts'
import { report } from './lib/report.ts'
import { startBenchServer } from './lib/server.ts'

const rounds = Number(process.argv[2] ?? 5)
const mostFailingMs = 1000
const mostPassingMs = 15_000

const server = await startBenchServer({ LAB_POOL: 'off', LAB_EVALUATION_SPACING_SECONDS: '0', LAB_EVALUATIONS: '100' })

const repair = async (session_id: string) => {
  const text = await readFile(join(import.meta.dirname, '../scenarios/scenario-01/solutions/reference.yaml'), 'utf8')
  const { steps } = parse(text) as { steps: { in: string; run: string }[] }
  for (const step of steps) await server.call('POST', '/sandbox/exec', { session_id, container: step.in, command: step.run })
}

const taken = { failing: [] as number[], passing: [] as number[] }
try {
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    const { session_id = '' } = await server.start()
    const grade = async (expected: boolean) => {
      const { passed } = await server.call<{ passed: boolean }>('POST', '/sandbox/eval', { session_id })
      if (passed !== expected) throw new Error(`the verdict is ${passed}`)
    }
    taken.failing.push(await timed(() => grade(false)))
    await repair(session_id)
    taken.passing.push(await timed(() => grade(true)))
    await server.stop(session_id)
  }
} finally {
  await server.close()
}

const [failing, passing] = [median(taken.failing), median(taken.passing)]
await report(
  'grade',
  [
    { what: 'scenario-01, still broken, p50', ours: milliseconds(failing), target: '< 1 s', met: failing < mostFailingMs },
    { what: 'scenario-01, repaired, p50', ours: milliseconds(passing), target: '≤ 15 s', met: passing <= mostPassingMs },
  ],
  taken,
)
