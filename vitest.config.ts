import { matchesGlob, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { day } from './test/support/random.ts'
import { deep, isFiltered, isQuick, runsAll } from './test/support/test-mode.ts'
import { dealTurns, readSeconds, turns } from './test/support/turns.ts'

/** Suites that fill the machine. */
const alone = [
  'test/api/burst.test.ts',
  'test/api/load.test.ts',
  'test/capacity.test.ts',
  'test/commerce/webhook-storm.test.ts',
  'test/mcp/crowd.test.ts',
  'test/storm/*.test.ts',
]

/** What an author runs while working: a little of everything, in a few minutes. */
const quick = [
  'test/api/conformance.test.ts',
  'test/api/errors.test.ts',
  'test/architecture.test.ts',
  'test/faults/prioritize.test.ts',
  'test/kill-group.test.ts',
  'test/probes.test.ts',
  'test/store.*.test.ts',
]

/** In every run: the same, how a real course is graded, how commands are run, what a sandbox cannot get out of, and the proofs of the scenarios of the day. */
const always = [
  ...quick,
  'test/api/evaluation.test.ts',
  'test/engine.runner.test.ts',
  'test/isolation.test.ts',
  'test/isolation-check.test.ts',
  'test/mcp/errors.test.ts',
  'test/scenarios.test.ts',
  'test/store.test.ts',
  'test/view.test.ts',
]

const seconds = readSeconds()
const turnOfSuite = dealTurns(seconds, (path) => always.some((pattern) => matchesGlob(path, pattern)))
const turn = day % turns
/** Long suites whose turn is on another day. */
const later = deep || runsAll || isQuick || isFiltered ? [] : [...turnOfSuite].filter(([, its]) => its !== turn).map(([path]) => path)
if (later.length > 0) {
  const names = later.map((path) => path.replace(/^test\/|\.test\.ts$/g, '')).sort()
  const waiting = `${names.length} long suites wait for their turn (--all runs them)`
  console.log(`Day ${day}, turn ${turn + 1} of ${turns}. ${waiting}: ${names.join(', ')}`)
  process.once('exit', () => console.log(`Day ${day}, turn ${turn + 1} of ${turns}: ${waiting}.`))
}

/** The longest go first: one that began last would run on while nothing else does. A new one may be long. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) => seconds.get(relative(import.meta.dirname, moduleId)) ?? Number.POSITIVE_INFINITY
    const orderOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => orderOf(a) - orderOf(b) || (orderOf(a) === 0 ? 0 : secondsOf(b) - secondsOf(a) || 0))
  }
}

/** Real containers, PostgreSQL, processes; on a machine that others slow down, too. */
const system = { isolate: false, maxConcurrency: 2, testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } }

/** Beside the source: quick, no engine. In test/: the whole thing, two suites at a time, because they mostly wait; then those that want the machine for themselves. */
export default defineConfig({
  test: {
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...system,
          name: 'system',
          include: isQuick ? quick : ['test/**/*.test.ts'],
          exclude: [...alone, ...later],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      ...(isQuick
        ? []
        : [{ test: { ...system, name: 'alone', include: alone, exclude: later, maxWorkers: 1, sequence: { groupOrder: 2 } } }]),
    ],
  },
})
