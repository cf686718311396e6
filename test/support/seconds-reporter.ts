// A reporter of Vitest that keeps how long each suite took, for turns.ts. Unit tests are too quick to matter.

import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { root } from '../../src/project-folders.ts'
import { readSeconds, secondsFile } from './turns.ts'

export default class SecondsReporter implements Reporter {
  private readonly taken = new Map<string, number>()

  onTestModuleEnd(suite: TestModule): void {
    if (suite.project.name === 'unit' || !suite.ok()) return
    const { collectDuration, duration } = suite.diagnostic()
    this.taken.set(relative(root, suite.moduleId), Math.max(1, Math.ceil((collectDuration + duration) / 1000)))
  }

  /** Suites that were not run, or did not hold, keep what they had; those that are gone lose it. */
  onTestRunEnd(): void {
    const all = [...new Map([...readSeconds(), ...this.taken])].filter(([path]) => existsSync(join(root, path)))
    const sorted = all.toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    writeFileSync(secondsFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  }
}
