// How far somebody is, by domain and tier: a mark for each course, filled when it is solved. Under it the same as a table.

import { Tier } from '../../../src/contract/course.ts'
import { Table } from '../ui/table.tsx'
import { counted, domainName, tierName } from '../words.ts'
import type { DomainProgress } from './attempts.ts'

const label = 150
const step = 26
const row = 30
const gap = 12
const head = 26

const mostOf = (progress: readonly DomainProgress[], tier: string): number =>
  Math.max(0, ...progress.map(({ courses }) => courses.filter((course) => course.tier === tier).length))

/** Where the column of each tier begins. */
const columnsOf = (progress: readonly DomainProgress[]) => {
  let x = label
  return Tier.options.flatMap((tier) => {
    const most = mostOf(progress, tier)
    if (most === 0) return []
    const column = { tier, x }
    x += Math.max(most * step, 96) + gap
    return [{ ...column, end: x }]
  })
}

/** In a sentence, and with each domain. */
export const summaryOf = (progress: readonly DomainProgress[]): { readonly short: string; readonly long: string } => {
  const all = progress.reduce((sum, { courses }) => sum + courses.length, 0)
  const solved = progress.reduce((sum, domain) => sum + domain.solved, 0)
  const parts = progress.map(({ domain, solved: own, courses }) => `${domainName(domain)} ${own} of ${courses.length}`)
  const short = `${solved} of ${counted(all, 'incident')} solved`
  return { short: `${short}.`, long: `${short}: ${parts.join(', ')}.` }
}

const Drawing = ({ progress }: { readonly progress: readonly DomainProgress[] }) => {
  const columns = columnsOf(progress)
  const width = columns.at(-1)?.end ?? label
  const height = head + progress.length * row
  return (
    <svg class="chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summaryOf(progress).long}>
      {columns.map(({ tier, x }) => (
        <text key={tier} class="chart-head" x={x} y={14}>
          {tierName(tier)}
        </text>
      ))}
      {progress.map(({ domain, courses, solved }, index) => {
        const y = head + index * row
        return (
          <g key={domain}>
            <line class="chart-line" x1={0} x2={width} y1={y} y2={y} />
            <text class="chart-label" x={0} y={y + 20}>
              {domainName(domain)}
            </text>
            <text class="chart-count" x={label - 14} y={y + 20} text-anchor="end">
              {`${solved}/${courses.length}`}
            </text>
            {columns.flatMap(({ tier, x }) =>
              courses
                .filter((course) => course.tier === tier)
                .map(({ id, title, isSolved }, at) => (
                  <g key={id} class={isSolved ? 'chart-solved' : 'chart-open'} transform={`translate(${x + at * step}, ${y + 6})`}>
                    <title>{`${title}: ${isSolved ? 'solved' : 'not solved'}`}</title>
                    <rect width={18} height={18} rx={4} />
                    {isSolved ? <path d="M4.5 9.5l3 3 6-6.5" /> : null}
                  </g>
                )),
            )}
          </g>
        )
      })}
    </svg>
  )
}

export const ProgressChart = ({ progress }: { readonly progress: readonly DomainProgress[] }) => (
  <figure class="chart-figure">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
    <section class="table-scroll" tabIndex={0} aria-label="Progress by domain and tier">
      <Drawing progress={progress} />
    </section>
    <details>
      <summary>The same as a table</summary>
      <Table label="Solved incidents by domain and tier" columns={['Domain', ...Tier.options.map(tierName)]}>
        {progress.map(({ domain, courses }) => (
          <tr key={domain}>
            <th scope="row">{domainName(domain)}</th>
            {Tier.options.map((tier) => {
              const own = courses.filter((course) => course.tier === tier)
              return <td key={tier}>{own.length === 0 ? 'none' : `${own.filter(({ isSolved }) => isSolved).length} of ${own.length}`}</td>
            })}
          </tr>
        ))}
      </Table>
    </details>
  </figure>
)
