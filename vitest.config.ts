import { matchesGlob } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { deep, isFiltered, isQuick } from './test/support/deep.ts'
import { day } from './test/support/random.ts'

/** Suites that fill the machine. */
const alone = [
  'test/api/burst.test.ts',
  'test/api/load.test.ts',
  'test/capacity.test.ts',
  'test/commerce/webhook-storm.test.ts',
  'test/mcp/crowd.test.ts',
  'test/storm/*.test.ts',
]

/** Suites of more than half a minute, which go first, the longest before the others: one that began last would run on while nothing else does. */
const longest = [
  'test/engine.docker.test.ts',
  'test/faults/grading.test.ts',
  'test/web/lab-access.test.ts',
  'test/scenarios.test.ts',
  'test/chaos/server.test.ts',
  'test/web/lab.test.ts',
  'test/drill.test.ts',
  'test/api/documents.test.ts',
  'test/api/terminal.test.ts',
  'test/view.abuse.test.ts',
  'test/api/queue.test.ts',
  'test/web/lab-waiting.test.ts',
  'test/chaos/engine.test.ts',
  'test/web/pages.test.ts',
  'test/cli.test.ts',
  'test/web/accessibility.test.ts',
  'test/web/replay.test.ts',
  'test/hostile.test.ts',
  'test/web/account.test.ts',
  'test/api/pool.test.ts',
  'test/api/lab-access.test.ts',
  'test/api/debrief.test.ts',
  'test/floods.test.ts',
  'test/api/evaluation.test.ts',
  'test/faults/engine-down.test.ts',
  'test/data-stores/*',
  'test/evidence.test.ts',
  'test/abuse.test.ts',
]

/** Each in a few scenarios. PostgreSQL, which is in most, is looked at in every run. */
const rarerStores = ['bind', 'etcd', 'mosquitto', 'rabbitmq', 'redis']
/** How many of them a whole run that is not deep looks at: every day the next ones, in turn. */
const storesOfOneDay = 2
const storesOfToday = Array.from({ length: storesOfOneDay }, (_, index) => rarerStores[(day * storesOfOneDay + index) % rarerStores.length])
const laterStores = deep || isQuick || isFiltered ? [] : rarerStores.filter((store) => !storesOfToday.includes(store))
if (laterStores.length > 0)
  console.log(`Data stores of today (day ${day}): ${storesOfToday.join(', ')}; the others with --deep, or: ./lab test data-stores`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = project.name === 'system' ? longest.findIndex((file) => matchesGlob(moduleId, `**/${file}`)) : -1
      return rank < 0 ? longest.length : rank
    }
    const orderOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => orderOf(a) - orderOf(b) || rankOf(a) - rankOf(b))
  }
}

/** What an author runs while working: a little of everything, in a few minutes. */
const quick = [
  'test/api/conformance.test.ts',
  'test/api/errors.test.ts',
  'test/api/evaluation.test.ts',
  'test/architecture.test.ts',
  'test/engine.runner.test.ts',
  'test/kill-group.test.ts',
  'test/mcp/errors.test.ts',
  'test/probes.test.ts',
  'test/store*.test.ts',
  'test/view.test.ts',
]

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
          exclude: [...alone, ...laterStores.map((store) => `test/data-stores/${store}.test.ts`)],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      ...(isQuick ? [] : [{ test: { ...system, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } }]),
    ],
  },
})
