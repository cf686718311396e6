import { describe, expect, it } from 'vitest'
import type { Catalog } from '../catalog/catalog.ts'
import type { Scenario } from '../catalog/scenario.ts'
import { root } from '../project-folders.ts'
import { reportOn } from './catalog-report.ts'

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
})
