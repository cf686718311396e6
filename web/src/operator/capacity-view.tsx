// What takes the capacity: slots, queue and pool, and live sandboxes by state, account and server.

import type { CapacityDetail, SandboxOverview } from '../../../src/contract/operator.ts'
import { Figure } from '../ui/figure.tsx'
import { duration } from '../words.ts'

const Counts = ({ title, counts }: { readonly title: string; readonly counts: readonly (readonly [string, number])[] }) => (
  <section class="panel" aria-label={title}>
    <h2>{title}</h2>
    {counts.length === 0 ? (
      <p class="muted">None.</p>
    ) : (
      <dl class="counts">
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
    )}
  </section>
)

const most = (counts: Readonly<Record<string, number>>): [string, number][] =>
  Object.entries(counts).toSorted(([, one], [, other]) => other - one)

export const CapacityFigures = ({ detail }: { readonly detail: CapacityDetail }) => {
  const { capacity, by_status } = detail
  const { queue, warm } = capacity
  const wait = queue.estimated_wait_seconds
  return (
    <dl class="figures">
      <Figure name="In use" value={`${capacity.in_use} of ${capacity.total}`} text={`${capacity.available} free`} />
      <Figure name="Queue" value={`${queue.length} of ${queue.max}`} text="starts wait for a place" />
      <Figure
        name="Wait"
        value={wait === 0 ? 'none' : wait === null ? 'not known' : duration(wait)}
        text={wait === null ? 'too few have ended to tell' : 'for one more start'}
      />
      <Figure
        name="Pool"
        value={String(Object.values(warm).reduce((sum, count) => sum + count, 0))}
        text={by_status['warming'] === undefined ? 'warm sandboxes' : `warm, ${by_status['warming']} being built`}
      />
    </dl>
  )
}

export const CapacityShares = ({
  detail,
  sandboxes,
}: {
  readonly detail: CapacityDetail
  readonly sandboxes: readonly SandboxOverview[]
}) => {
  const { capacity, by_status, by_account, by_node } = detail
  const names = new Map(
    sandboxes.flatMap(({ account_id, account_name }) => (account_id && account_name ? [[account_id, account_name]] : [])),
  )
  return (
    <div class="panels panels-small">
      <Counts title="By state" counts={most(by_status)} />
      <Counts title="By account" counts={most(by_account).map(([id, count]) => [names.get(id) ?? id, count])} />
      <Counts title="By server" counts={most(by_node)} />
      <Counts title="Warm, by course" counts={most(capacity.warm)} />
    </div>
  )
}
