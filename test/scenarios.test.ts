// Every scenario is valid and proven: each case of its proof is a test on a sandbox of its own.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { lintScenario } from '../src/catalog/lint.ts'
import type { Scenario } from '../src/catalog/scenario.ts'
import { beginScenario } from '../src/catalog/skeleton.ts'
import { schemaFiles } from '../src/cli/lint.ts'
import { systemClock } from '../src/clock.ts'
import { defaultCourseId } from '../src/contract/course.ts'
import { createId } from '../src/ids.ts'
import { type ProofCase, proofCases } from '../src/proofs/proof.ts'
import { proofContentOf, readProofRecord } from '../src/proofs/proof-record.ts'
import { createSemaphore } from '../src/semaphore.ts'
import { createTestEngine, root } from './support/engine.ts'
import { createRandom, day } from './support/random.ts'
import { deep } from './support/test-mode.ts'

/** How many scenarios a run that is not deep repairs, and of how many it tries one more case: every day the next ones, in turn. */
const repaired = 3
const withOneMore = 2
const always = 'solution reference'
const runs = deep ? 3 : 1
const { engine, cleanUp } = createTestEngine()
const catalog = await loadCatalog(join(root, 'scenarios'))
/** Of the suites; kept warm like the others, because it is proven like the others. */
const catalogOfSuites = await loadCatalog(join(root, 'test/catalog'))
const begun = await mkdtemp(join(tmpdir(), 'incident-lab-begun-'))
await beginScenario(begun, 'scenario-42')
const skeleton = (await loadCatalog(begun)).find('scenario-42')
const deps = { engine, clock: systemClock, loadSemaphore: createSemaphore(1) }
const { pick } = createRandom(day)
const drawn = Array.from({ length: repaired }, (_, index) => catalog.scenarios[(day * repaired + index) % catalog.scenarios.length])

const someOf = (cases: readonly ProofCase[]): ProofCase[] => [
  ...cases.filter(({ name }) => name === always),
  pick(cases.filter(({ name }) => name !== always)),
]

const quickly = (scenario: Scenario, cases: readonly ProofCase[]): ProofCase[] => {
  const place = drawn.indexOf(scenario)
  return place < 0 ? [] : someOf(cases).slice(0, place < withOneMore ? 2 : 1)
}

const proofs = await Promise.all(
  [...catalog.scenarios, ...catalogOfSuites.scenarios].map(async (scenario) => {
    const cases = await proofCases(deps, scenario)
    return { id: scenario.id, path: relative(root, scenario.folder), scenario, cases: deep ? cases : quickly(scenario, cases) }
  }),
)

beforeAll(() =>
  engine.ensureImages(
    [skeleton, ...catalog.scenarios].flatMap(({ images }) => images),
    () => undefined,
  ),
)
afterAll(async () => {
  await cleanUp()
  await rm(begun, { recursive: true, force: true })
})

describe('the catalog', () => {
  it('leaves no folder out', () => {
    expect(catalog.problems).toEqual([])
    expect(catalog.scenarios.length).toBeGreaterThan(0)
    expect(catalogOfSuites.problems).toEqual([])
    expect(catalogOfSuites.scenarios.map(({ id }) => id)).toEqual([defaultCourseId])
  })

  it('has its schemas written down for editors', () => {
    const schemas = Object.entries(schemaFiles())
    expect(schemas.length).toBeGreaterThan(3)
    for (const [file, schema] of schemas) expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)))
  })
})

describe.concurrent.each(proofs)('$path', ({ id, path, scenario, cases }) => {
  it('passes the linter', async ({ expect }) => {
    expect(await lintScenario(scenario.folder, id)).toEqual([])
  })

  it('was proven as it is', async ({ expect }) => {
    const record = await readProofRecord(scenario)
    expect(record?.scenario, `LAB_SCENARIOS_DIR=${dirname(path)} ./lab prove ${id}`).toBe((await proofContentOf(root, scenario)).scenario)
  })

  it.each(cases)(`$name, ${runs} times (day ${day})`, { timeout: runs * 900_000 }, async ({ run }) => {
    for (let index = 0; index < runs; index += 1) {
      const result = await run(createId())
      expect(result, JSON.stringify(result)).toMatchObject({ ok: true })
    }
  })
})

describe.concurrent('what ./lab new begins with', async () => {
  const cases = await proofCases(deps, skeleton)
  it.each(deep ? cases : someOf(cases))('$name', async ({ run }) => {
    expect(await run(createId())).toMatchObject({ ok: true, detail: 'as claimed' })
  })
})
