// Runs the tests: the same set-up as `up`, then Vitest. A skipped test counts as failed. The last line is `N passed, N failed`.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Option } from 'commander'
import { z } from 'zod'
import { parseCheckedJson } from '../checked-json.ts'
import { childEnvironment } from '../config.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { root } from '../project-folders.ts'
import { imageNames } from './images.ts'
import { createDisplay } from './lib/display.ts'
import { ensureEngine } from './lib/engine-setup.ts'
import { configOf } from './lib/options.ts'
import { ensureWebApp } from './lib/web-app.ts'
import type { Verb } from './main.ts'

/** What Vitest reports, as far as it is counted. */
const Report = z.object({
  numTotalTests: z.int(),
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) }),
  ),
})
type Report = z.infer<typeof Report>

const prepare = async () => {
  const config = configOf({})
  const display = createDisplay()
  await ensureEngine(config, true, display.report)
  const { store, engine } = await openInstallation(config)
  try {
    await engine.prepare(display.report)
    await engine.ensureImages(await imageNames(), display.report)
    await ensureWebApp(display.report)
  } finally {
    display.done()
    await store.close()
  }
}

interface TestOptions {
  readonly all?: boolean
  readonly deep?: boolean
  readonly quick?: boolean
  readonly recordSeconds?: boolean
}

const flag = (isSet: boolean | undefined) => (isSet ? '1' : '0')

const runVitest = (
  filters: readonly string[],
  { all, deep, quick, recordSeconds }: TestOptions,
  reportFile: string,
): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const reporters = ['default', 'json', ...(recordSeconds ? [join(root, 'test/support/seconds-reporter.ts')] : [])]
    const args = ['run', ...reporters.map((reporter) => `--reporter=${reporter}`), `--outputFile.json=${reportFile}`, ...filters]
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'node_modules/vitest/vitest.mjs'), ...args],
      {
        cwd: root,
        stdio: 'inherit',
        env: childEnvironment({
          INCIDENT_LAB_ALL: flag(all),
          INCIDENT_LAB_DEEP: flag(deep),
          INCIDENT_LAB_QUICK: flag(quick),
          INCIDENT_LAB_FILTERED: flag(filters.length > 0),
        }),
      },
    )
    child.once('error', reject)
    child.once('close', resolve)
  })

/** A file that could not be loaded has no tests of its own, and counts as one failure. */
const count = (report: Report) => {
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  return { passed: report.numPassedTests, failed: report.numTotalTests - report.numPassedTests + unloaded }
}

/** One line for each test that did not pass, so that the end of a long log tells what to look for. */
const failures = ({ testResults }: Report): string[] =>
  testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name)
    if (assertionResults.length === 0) return status === 'failed' ? [`${file}: could not be loaded`] : []
    return assertionResults.filter((test) => test.status !== 'passed').map((test) => `${file}: ${test.fullName} (${test.status})`)
  })

export const verb: Verb = (program) => {
  program
    .command('test [filters...]')
    .description('run the tests of the day, or those whose file matches a filter')
    .option('--all', 'run the long suites whose turn is on another day, too')
    .option('--deep', 'run everything, with the full figures')
    .addOption(new Option('--quick', 'run a little of everything, in a few minutes').conflicts(['all', 'deep']))
    .addOption(new Option('--record-seconds', 'keep how long each suite took: the long ones take turns').conflicts(['deep', 'quick']))
    .action(async (filters: string[], options: TestOptions) => {
      const folder = await mkdtemp(join(tmpdir(), 'incident-lab-test-'))
      try {
        await prepare()
        const reportFile = join(folder, 'report.json')
        const code = await runVitest(filters, options, reportFile)
        const text = await readFile(reportFile, 'utf8').catch(() => {
          throw new LabError('internal', 'the tests were interrupted, or could not begin: there is no report')
        })
        const report = parseCheckedJson(Report, text)
        for (const line of failures(report)) console.log(line)
        const { passed, failed } = count(report)
        const broken = failed === 0 && code !== 0 ? 1 : 0
        console.log(`${passed} passed, ${failed + broken} failed`)
        process.exitCode = failed + broken > 0 || passed === 0 ? 1 : 0
      } catch (error) {
        console.log('0 passed, 1 failed')
        throw error
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
}
