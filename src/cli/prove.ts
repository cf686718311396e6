// Proves scenarios on real containers: runs every case N times with different seeds, and writes proof.json.

import { loadCatalog } from '../catalog/catalog.ts'
import type { Scenario } from '../catalog/scenario.ts'
import { stopwatch } from '../clock.ts'
import { dockerHostOf } from '../engine/docker/connection.ts'
import { LabError } from '../errors.ts'
import { createId } from '../ids.ts'
import { openInstallation } from '../installation.ts'
import { catalogFoldersOf, root } from '../project-folders.ts'
import type { ProofDeps } from '../proofs/case-sandbox.ts'
import { type CaseResult, type ProofCase, proofCases } from '../proofs/proof.ts'
import { changeSince, type ProofContent, proofContentOf, readProofRecord, writeProofRecord } from '../proofs/proof-record.ts'
import { createSemaphore } from '../semaphore.ts'
import { withCleanupOnInterrupt } from './lib/cleanup-on-interrupt.ts'
import { counted } from './lib/counted.ts'
import { createDisplay, type Display } from './lib/display.ts'
import { ensureEngine } from './lib/engine-setup.ts'
import { describeKept, type KeptSandbox, refuseBesideServer } from './lib/kept-sandboxes.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import { printTable } from './lib/table.ts'
import type { Verb } from './main.ts'

interface ProveOptions extends DataOptions {
  readonly runs: string
  readonly jobs: string
  readonly seed?: string
  readonly only?: string
  readonly changed?: boolean
  readonly keep?: boolean
  readonly json?: boolean
}

interface Proof {
  readonly scenario: string
  readonly name: string
  readonly runs: readonly CaseResult[]
}

const whole = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new LabError('invalid_request', `--${name} must be an integer of at least 1`)
  return value
}

const outcomeOf = ({ ok, judged, detail, seed }: CaseResult) =>
  ok ? 'ok' : `${judged ? 'FAILED' : 'NOT JUDGED'}: ${detail} (seed ${seed})`

/** A case that passes only sometimes. */
const isFlake = ({ runs }: Proof) => runs.some(({ ok }) => ok) && runs.some(({ ok, judged }) => judged && !ok)

/** Calls `concluded` for each scenario when its last case has ended. */
const prove = async (
  deps: ProofDeps,
  scenarios: readonly Scenario[],
  options: ProveOptions,
  display: Display,
  concluded: (scenario: Scenario, proofs: readonly Proof[]) => Promise<void>,
): Promise<Proof[]> => {
  const limited = createSemaphore(whole('jobs', options.jobs))
  const runs = whole('runs', options.runs)
  const cases = await Promise.all(
    scenarios.map(async (scenario) => {
      const all = await proofCases(deps, scenario)
      return { scenario, names: all.map(({ name }) => name), wanted: all.filter(({ name }) => name.includes(options.only ?? '')) }
    }),
  )
  const total = runs * cases.reduce((sum, { wanted }) => sum + wanted.length, 0)
  if (total === 0 && cases.length > 0) {
    const names = [...new Set(cases.flatMap((one) => one.names))].join(', ')
    throw new LabError('invalid_request', `no case has "${options.only}" in its name; the cases are: ${names}`)
  }
  let done = 0
  const proveCase = async (scenario: string, { name, run }: ProofCase): Promise<Proof> => {
    const results = Array.from({ length: runs }, (_, index) =>
      limited(async () => {
        display.report(`${done} of ${total}: ${scenario}, ${name}`)
        const result = await run(options.seed === undefined ? createId() : `${options.seed}-${index}`)
        done += 1
        display.report(`${done} of ${total}: ${scenario}, ${name}: ${outcomeOf(result)}`)
        return result
      }),
    )
    return { scenario, name, runs: await Promise.all(results) }
  }
  const proofs = cases.map(async ({ scenario, wanted }) => {
    const ofScenario = await Promise.all(wanted.map((one) => proveCase(scenario.id, one)))
    await concluded(scenario, ofScenario)
    return ofScenario
  })
  return (await Promise.all(proofs)).flat()
}

const middleOf = (values: readonly number[]): number | undefined => {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

const seconds = (values: readonly number[]) => {
  const middle = middleOf(values)
  return middle === undefined ? '-' : `${(middle / 1000).toFixed(1)} s`
}

const print = (proofs: readonly Proof[]) => {
  printTable([
    ['scenario', 'case', 'held', 'score', 'start', 'grade', 'total', 'overhead', ''],
    ...proofs.map(({ scenario, name, runs }) => [
      scenario,
      name,
      `${runs.filter(({ ok }) => ok).length}/${runs.length}`,
      [...new Set(runs.map(({ score }) => score ?? '-'))].join(','),
      seconds(runs.map(({ startMs }) => startMs)),
      seconds(runs.map(({ gradeMs }) => gradeMs)),
      seconds(runs.map(({ totalMs }) => totalMs)),
      seconds(runs.map(({ overheadMs }) => overheadMs)),
      runs.filter(({ ok }) => !ok).map(outcomeOf)[0] ?? '',
    ]),
  ])
}

const keptOf = (proofs: readonly Proof[], scenarios: readonly Scenario[]): KeptSandbox[] =>
  proofs.flatMap(({ scenario, name, runs }) =>
    runs.flatMap(({ kept, seed }) => {
      const services = scenarios.find(({ id }) => id === scenario)?.containers ?? []
      return kept === undefined ? [] : [{ sandbox: kept, what: `${scenario}, ${name} (seed ${seed})`, services }]
    }),
  )

/** Of the scenarios that were wanted, those that have to be proven again. */
const changedOnly = async (scenarios: readonly Scenario[], report: (message: string) => void): Promise<Scenario[]> => {
  const reasons = await Promise.all(
    scenarios.map(async (scenario) => changeSince(await readProofRecord(scenario), await proofContentOf(root, scenario))),
  )
  for (const [index, { id }] of scenarios.entries()) report(`${id}: ${reasons[index] ?? 'is proven and has not changed'}`)
  return scenarios.filter((_, index) => reasons[index] !== null)
}

/** Writes proof.json if all cases passed. `content` was hashed before the first run. */
const record = async (scenario: Scenario, content: ProofContent, proofs: readonly Proof[], now: Date) => {
  const results = proofs.flatMap(({ runs }) => runs)
  if (results.length === 0 || results.some(({ ok }) => !ok)) return
  await writeProofRecord(scenario, {
    ...content,
    proven_at: now.toISOString(),
    cases: proofs.length,
    runs: results.length,
    start_ms: Math.round(middleOf(results.map(({ startMs }) => startMs)) ?? 0),
    grade_ms: Math.round(middleOf(results.flatMap(({ score, gradeMs }) => (score === 100 ? [gradeMs] : []))) ?? 0),
  })
}

export const verb: Verb = (program) => {
  withData(program.command('prove [scenarios...]'))
    .description('prove scenarios on real containers')
    .option('--runs <n>', 'how many times each case is run', '1')
    .option('--jobs <n>', 'how many sandboxes at once', '2')
    .option('--seed <seed>', 'draw the parameters from this seed')
    .option('--only <text>', 'only the cases whose name contains this text')
    .option('--changed', 'only scenarios whose folder, images or grading changed since they were proven')
    .option('--keep', 'leave the sandbox of every case that failed for a look')
    .option('--json', 'print the result as JSON')
    .action(async (names: string[], options: ProveOptions) => {
      const config = configOf(options)
      await refuseBesideServer(config.dataDir)
      const display = createDisplay()
      const elapsed = stopwatch()
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
        const proofs = await prove(deps, scenarios, options, display, async (scenario, ofScenario) => {
          const content = contents.get(scenario) as ProofContent
          if (options.only === undefined) await record(scenario, content, ofScenario, clock.now())
        })
        display.done()
        const flakes = proofs.filter(isFlake).length
        const failed = proofs.filter(({ runs }) => runs.some(({ ok }) => !ok)).length
        const summary = { proven: failed === 0, cases: proofs.length, failed, flakes, seconds: Math.round(elapsed() / 1000) }
        if (options.json) console.log(JSON.stringify({ ...summary, proofs }, null, 2))
        else {
          print(proofs)
          const [held, not] = options.only === undefined ? ['Proven', 'NOT proven'] : ['Held', 'NOT held']
          const counts = `${counted(proofs.length, 'case')}, ${failed} failed, ${counted(flakes, 'flake')}, ${summary.seconds} s`
          console.log(`\n${failed === 0 ? held : not}: ${counts}.${options.only === undefined ? '' : ' Nothing is recorded with --only.'}`)
          if (proofs.some(({ runs }) => runs.some(({ judged }) => !judged)))
            console.log('What was not judged says nothing about a scenario: try again on a quieter machine, or with --jobs 1.')
          for (const line of describeKept(keptOf(proofs, scenarios), dockerHostOf(config), config.dataDir)) console.log(line)
        }
        process.exitCode = failed === 0 ? 0 : 1
      } finally {
        display.done()
        await installation.engine.removeInspectors().catch(() => undefined) // if the engine does not answer, the container stays for the next run
        await store.close()
      }
    })
}
