import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Catalog, loadCatalog } from '../catalog/catalog.ts'
import type { Scenario } from '../catalog/scenario.ts'
import { root } from '../project-folders.ts'
import { reportOn } from './catalog-report.ts'
import { proofContentOf, writeProofRecord } from './proof-record.ts'

const catalog = (more: Partial<Catalog>): Catalog => ({
  ...{ scenarios: [], drafts: [], problems: [] },
  find: () => {
    throw new Error('nothing is looked for')
  },
  ...more,
})

describe('the report on a catalog', () => {
  it('names folders that were left out, with the reason, and what was never proven', async () => {
    const problems = ['broken-01: scenario.yaml: tier: must be one of four']
    const report = await reportOn(root, catalog({ problems, drafts: [{ id: 'draft-01' } as Scenario] }), new Date('2026-01-02T03:04:05Z'))
    expect(report).toMatchObject({ offered: 0, read_at: '2026-01-02T03:04:05.000Z' })
    expect(report.problems.map(({ course_id, kind, text }) => [course_id, kind, text])).toEqual([
      ['broken-01', 'left_out', 'scenario.yaml: tier: must be one of four'],
      ['draft-01', 'draft', expect.stringContaining('never proven')],
    ])
  })

  it('names what has changed since its proof, and what was proven by other grading code', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'incident-lab-catalog-'))
    try {
      for (const id of ['same-01', 'changed-01', 'regraded-01']) {
        await cp(join(root, 'test/catalog/scenario-01'), join(folder, id), { recursive: true })
        const file = join(folder, id, 'scenario.yaml')
        await writeFile(file, (await readFile(file, 'utf8')).replace('id: scenario-01', `id: ${id}`))
      }
      const read = await loadCatalog(folder)
      for (const scenario of read.scenarios) {
        const proof = { ...(await proofContentOf(root, scenario)), ...{ proven_at: '', cases: 1, runs: 1, start_ms: 1, grade_ms: 1 } }
        await writeProofRecord(scenario, scenario.id === 'regraded-01' ? { ...proof, grading: 'of another day' } : proof)
      }
      await writeFile(join(folder, 'changed-01', 'brief.md'), 'another brief')
      const { problems } = await reportOn(root, await loadCatalog(folder), new Date())
      expect(problems.map(({ course_id, kind }) => [course_id, kind])).toEqual([
        ['changed-01', 'changed'],
        ['regraded-01', 'graded_anew'],
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
