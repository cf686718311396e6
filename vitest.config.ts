import { defineConfig } from 'vitest/config'

/** Beside the source: quick, no engine. In test/: real containers, PostgreSQL, processes; one file at a time. */
export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 20_000 } },
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          fileParallelism: false,
          maxConcurrency: 2,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
