// What is wrong with the catalog that a server has read: folders that were left out, courses that were never proven or have changed since,
// or that were proven by other grading code than the present.

import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogProblem, CatalogReport } from '../contract/operator.ts'
import { proofContentOf, readProofRecord } from './proof-record.ts'

const changesOf = async (root: string, { scenarios }: Catalog): Promise<CatalogProblem[]> => {
  const found: CatalogProblem[] = []
  for (const scenario of scenarios) {
    const [proof, now] = await Promise.all([readProofRecord(scenario), proofContentOf(root, scenario)])
    if (proof?.scenario !== now.scenario)
      found.push({ course_id: scenario.id, kind: 'changed', text: 'its folder or an image is not what was proven: prove it again' })
    else if (proof.grading !== now.grading)
      found.push({
        course_id: scenario.id,
        kind: 'graded_anew',
        text: 'it was proven by other grading code than the present: prove it again',
      })
  }
  return found
}

export const reportOn = async (root: string, catalog: Catalog, readAt: Date): Promise<CatalogReport> => {
  const leftOut = catalog.problems.map((problem): CatalogProblem => {
    const at = problem.indexOf(': ')
    return { course_id: problem.slice(0, at), kind: 'left_out', text: problem.slice(at + 2) }
  })
  const drafts = catalog.drafts.map(
    ({ id }): CatalogProblem => ({ course_id: id, kind: 'draft', text: 'it was never proven: its author can start it by its id' }),
  )
  return {
    offered: catalog.scenarios.length,
    problems: [...leftOut, ...drafts, ...(await changesOf(root, catalog))],
    read_at: readAt.toISOString(),
  }
}
