import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { loadScenario } from '../../catalog/scenario.ts'
import { root } from '../../project-folders.ts'
import { proofContentOf, readProofRecord, recordMeasure, recordProof } from '../proof-record.ts'
import type { Measured, Outcome } from './measure.ts'
import { fairnessRecordOf, mutationRecordOf, percentOf, scoreByClass, sumOf } from './score.ts'

const folder = await mkdtemp(join(tmpdir(), 'incident-lab-score-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const content = { scenario: 'folder', grading: 'code' }
const measured = (...outcomes: [string, Outcome][]): Measured => ({
  ...{ seed: 's', candidates: 9, declared: [{ class: 'rows', name: 'rows: known', steps: [] }] },
  tried: outcomes.map(([name, outcome], index) => ({
    change: { class: name, name: `${name}: ${index}`, steps: [] },
    outcome,
    detail: '',
    ms: 1,
  })),
})

describe('the mutation score', () => {
  it('counts what was judged: neither what was not applied, nor what the infrastructure spoilt, nor what was declared', () => {
    const one = measured(
      ['rows', 'marked down'],
      ['rows', 'full marks'],
      ['rows', 'not applied'],
      ['logs', 'not judged'],
      ['logs', 'marked down'],
    )
    expect(mutationRecordOf(one, content)).toEqual({
      ...{ ...content, seed: 's', mutants: 3, killed: 2, declared: 1, survivors: ['rows: 1'] },
      by_class: { logs: { mutants: 1, killed: 1, declared: 0 }, rows: { mutants: 2, killed: 1, declared: 1 } },
    })
    expect(percentOf({ mutants: 3, killed: 2 })).toBe(66.6)
    expect(percentOf({ mutants: 0, killed: 0 })).toBeNull()
  })

  it('is the same by class and in all, and only 100 where nothing survived', () => {
    const outcome = fc.constantFrom<Outcome>('full marks', 'marked down', 'not applied', 'not judged')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('rows', 'logs', 'code'), outcome)), (outcomes) => {
        const { mutants, killed, survivors, by_class } = mutationRecordOf(measured(...outcomes), content)
        expect(killed + survivors.length).toBe(mutants)
        expect(sumOf(Object.values(by_class))).toMatchObject({ mutants, killed })
        expect(percentOf({ mutants, killed }) === 100).toBe(mutants > 0 && survivors.length === 0)
        expect(Object.keys(scoreByClass(measured(...outcomes)))).toContain('rows')
      }),
    )
  })
})

it('fairness counts what had full marks', () => {
  const one = measured(['hands', 'full marks'], ['restarts', 'marked down'], ['restarts', 'not judged'])
  expect(fairnessRecordOf(one, content)).toEqual({ ...content, seed: 's', changes: 2, passed: 1, failures: ['restarts: 1'] })
})

describe('the record', () => {
  it('keeps the proof beside a new measure, and a measure beside a new proof', async () => {
    const copy = join(folder, 'scenario-01')
    await cp(join(root, 'test/catalog/scenario-01'), copy, { recursive: true })
    const scenario = await loadScenario(copy, 'scenario-01')
    const before = await readProofRecord(scenario)
    const mutation = mutationRecordOf(measured(['rows', 'full marks']), content)
    expect(await recordMeasure(scenario, { mutation })).toBe(true)
    expect(await readProofRecord(scenario)).toEqual({ ...before, mutation })
    const proof = { ...content, proven_at: 'now', cases: 1, runs: 1, start_ms: 1, grade_ms: 1 }
    await recordProof(scenario, proof)
    expect(await readProofRecord(scenario)).toEqual({ ...proof, mutation })
    await rm(join(copy, 'proof.json'))
    expect(await recordMeasure(scenario, { mutation })).toBe(false)
  })

  it('does not depend on equivalent mutants', async () => {
    const copy = join(folder, 'declared', 'scenario-01')
    await cp(join(root, 'test/catalog/scenario-01'), copy, { recursive: true })
    const scenario = await loadScenario(copy, 'scenario-01')
    const before = await proofContentOf(root, scenario)
    await writeFile(join(copy, 'mutants.yaml'), '- { mutant: "rows: *", harmless: nobody reads them }\n')
    expect(await proofContentOf(root, scenario)).toEqual(before)
    expect(await readFile(join(copy, 'proof.json'), 'utf8')).not.toContain('mutation')
  })
})
