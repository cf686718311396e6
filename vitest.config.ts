import { defineConfig } from 'vitest/config'

/** Suites that fill the machine, or kill what others wait for. */
const alone = ['test/api/burst.test.ts', 'test/api/load.test.ts', 'test/capacity.test.ts', 'test/chaos/*.test.ts', 'test/storm/*.test.ts']

/** Real containers, PostgreSQL, processes. */
const system = { maxConcurrency: 2, testTimeout: 120_000, hookTimeout: 180_000 }

/** Beside the source: quick, no engine. In test/: the whole thing, two suites at a time, because they mostly wait; then those that want the machine for themselves. */
export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 20_000, sequence: { groupOrder: 0 } } },
      { test: { ...system, name: 'system', include: ['test/**/*.test.ts'], exclude: alone, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      { test: { ...system, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
