// Proves scenarios on real containers, or measures how well they are graded.

import { loadCatalog } from '../catalog/catalog.ts'
import type { Scenario } from '../catalog/scenario.ts'
import { dockerHostOf } from '../engine/docker/connection.ts'
import { LabError } from '../errors.ts'
import { openInstallation } from '../installation.ts'
import { catalogFoldersOf, root } from '../project-folders.ts'
import { changeSince, type ProofContent, proofContentOf, readProofRecord } from '../proofs/proof-record.ts'
import { createSemaphore } from '../semaphore.ts'
import { withCleanupOnInterrupt } from './lib/cleanup-on-interrupt.ts'
import { createDisplay } from './lib/display.ts'
import { ensureEngine } from './lib/engine-setup.ts'
import { describeKept, refuseBesideServer } from './lib/kept-sandboxes.ts'
import { configOf, withData } from './lib/options.ts'
import type { Verb } from './main.ts'
import { proveCases } from './prove/cases.ts'
import { measureScenarios } from './prove/measures.ts'
import type { ProveContext, ProveOptions } from './prove/options.ts'

/** Of the scenarios that were wanted, those that have to be proven again. */
const changedOnly = async (scenarios: readonly Scenario[], report: (message: string) => void): Promise<Scenario[]> => {
  const reasons = await Promise.all(
    scenarios.map(async (scenario) => changeSince(await readProofRecord(scenario), await proofContentOf(root, scenario))),
  )
  for (const [index, { id }] of scenarios.entries()) report(`${id}: ${reasons[index] ?? 'is proven and has not changed'}`)
  return scenarios.filter((_, index) => reasons[index] !== null)
}

export const verb: Verb = (program) => {
  withData(program.command('prove [scenarios...]'))
    .description('prove scenarios on real containers')
    .option('--runs <n>', 'how many times each case is run', '1')
    .option('--jobs <n>', 'how many sandboxes at once', '2')
    .option('--seed <seed>', 'draw the parameters, and what is tried, from this seed')
    .option('--only <text>', 'only the cases or changes whose name contains this text')
    .option('--changed', 'only scenarios whose folder, images or grading changed since they were proven')
    .option('--keep', 'leave the sandbox of every case that failed for a look')
    .option('--mutate [n]', 'try n damages (60) on top of the reference solution: grading must find each')
    .option('--fair [n]', 'try n harmless changes (15) on top of the reference solution: grading must let each pass')
    .option('--json', 'print the result as JSON')
    .action(async (names: string[], options: ProveOptions) => {
      const config = configOf(options)
      await refuseBesideServer(config.dataDir)
      const display = createDisplay()
      await ensureEngine(config, true, display.report)
      const catalog = await loadCatalog(...catalogFoldersOf(config))
      const unsound = catalog.problems.filter((problem) => names.length === 0 || names.some((name) => problem.startsWith(`${name}: `)))
      if (unsound.length > 0) throw new LabError('invalid_request', unsound.join('\n'))
      const wanted = names.length === 0 ? [...catalog.scenarios, ...catalog.drafts] : names.map((name) => catalog.find(name))
      const scenarios = options.changed ? await changedOnly(wanted, display.report) : wanted
      const contents = new Map<Scenario, ProofContent>()
      for (const scenario of scenarios) contents.set(scenario, await proofContentOf(root, scenario))
      const installation = await openInstallation(config)
      const { store, clock } = installation
      const engine = withCleanupOnInterrupt(installation.engine, display)
      try {
        await engine.ensureImages(['probe', ...scenarios.flatMap((scenario) => scenario.images)], display.report)
        await engine.prepare(display.report)
        const deps = { engine, clock, loadSemaphore: createSemaphore(1), keepsFailed: options.keep ?? false }
        const context: ProveContext = {
          ...{ deps, scenarios, contents, display },
          describeKept: (kept) => describeKept(kept, dockerHostOf(config), config.dataDir),
        }
        const isMeasure = options.mutate !== undefined || options.fair !== undefined
        const held = isMeasure ? await measureScenarios(context, options) : await proveCases(context, options)
        process.exitCode = held ? 0 : 1
      } finally {
        display.done()
        await installation.engine.removeInspectors().catch(() => undefined) // if the engine does not answer, the container stays for the next run
        await store.close()
      }
    })
}
