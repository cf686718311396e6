// How long the latest starts took.

import type { ServiceStatus } from '../../../src/contract/status.ts'
import { Figure } from '../ui/figure.tsx'
import { counted, milliseconds } from '../words.ts'

const sample = (count: number, p95: number): string =>
  count === 1
    ? 'the only one so far'
    : `half of the last ${counted(count, 'one')} took at most this long, nineteen of twenty at most ${milliseconds(p95)}`

const kinds = [
  ['warm', 'Warm start', 'of a sandbox that was built before'],
  ['cold', 'Cold start', 'of a sandbox that had to be built'],
] as const

export const StartLatency = ({ status }: { readonly status: ServiceStatus }) => (
  <>
    <h2>How long a start takes</h2>
    {status.starts.warm === null && status.starts.cold === null ? (
      <p class="muted">Nothing has been started on this server since it began to serve.</p>
    ) : (
      <dl class="figures">
        {kinds.map(([kind, name, what]) => {
          const latency = status.starts[kind]
          return latency === null ? null : (
            <Figure
              key={kind}
              name={name}
              value={milliseconds(latency.p50_ms)}
              text={`${what}: ${sample(latency.count, latency.p95_ms)}`}
            />
          )
        })}
      </dl>
    )}
  </>
)
