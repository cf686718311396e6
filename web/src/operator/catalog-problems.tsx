// What is wrong with the catalog that this server has read.

import type { CatalogReport } from '../../../src/contract/operator.ts'
import { Table } from '../ui/table.tsx'
import { counted, moment, sentence } from '../words.ts'

const kinds = { left_out: 'left out', draft: 'not proven', changed: 'changed', graded_anew: 'proven otherwise' } as const

export const CatalogProblems = ({ report }: { readonly report: CatalogReport }) => (
  <section class="panel" aria-labelledby="problems">
    <h2 id="problems">Problems of the catalog</h2>
    {report.problems.length === 0 ? (
      <p class="outcome-held">{`None: all ${counted(report.offered, 'course')} are what was proven.`}</p>
    ) : (
      <Table label="Problems of the catalog" columns={['Course', 'State', 'What is wrong']}>
        {report.problems.map(({ course_id, kind, text }) => (
          <tr key={`${course_id} ${kind}`}>
            <th scope="row" class="mono">
              {course_id}
            </th>
            <td>{kinds[kind]}</td>
            <td class="cell-text">{sentence(text)}</td>
          </tr>
        ))}
      </Table>
    )}
    <p class="muted small">{`${counted(report.offered, 'course')} offered. Read when the server started, ${moment(report.read_at)}; ./lab lint and ./lab prove say more.`}</p>
  </section>
)
