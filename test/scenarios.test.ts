// Every scenario is sound and proven: each claim of its proof is a test of its own, on a sandbox of its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { lintScenario } from '../src/catalog/lint.ts'
import { schemaFiles } from '../src/cli/lint.ts'
import { systemClock } from '../src/clock.ts'
import { createGate } from '../src/gate.ts'
import { proofCases } from '../src/grading/proof.ts'
import { createId } from '../src/ids.ts'
import { deep } from './support/deep.ts'
import { createTestEngine, root } from './support/engine.ts'

const runs = deep ? 5 : 1
const { engine, cleanUp } = createTestEngine()
const catalog = await loadCatalog(join(root, 'scenarios'))
const deps = { engine, clock: systemClock, loadGate: createGate(1) }
const proofs = await Promise.all(
  catalog.scenarios.map(async (scenario) => ({ id: scenario.id, images: scenario.images, cases: await proofCases(deps, scenario) })),
)

beforeAll(() =>
  engine.ensureImages(
    proofs.flatMap(({ images }) => images),
    () => undefined,
  ),
)
afterAll(cleanUp)

describe('the catalog', () => {
  it('leaves no folder out', () => {
    expect(catalog.problems).toEqual([])
    expect(catalog.scenarios.length).toBeGreaterThan(0)
  })

  it('has its schemas written down for editors', () => {
    const schemas = Object.entries(schemaFiles())
    expect(schemas.length).toBeGreaterThan(3)
    for (const [file, schema] of schemas) expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)))
  })
})

describe.concurrent.each(proofs)('$id', ({ id, cases }) => {
  it('passes the linter', async ({ expect }) => {
    expect(await lintScenario(join(root, 'scenarios', id), id)).toEqual([])
  })

  it.each(cases)(`$name, ${runs} times`, { timeout: runs * 120_000 }, async ({ run }) => {
    for (let index = 0; index < runs; index += 1) {
      const result = await run(createId())
      expect(result, JSON.stringify(result)).toMatchObject({ ok: true })
    }
  })
})
