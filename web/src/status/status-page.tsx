// How the service stands: health, room, queue, what is built already.

import type { Capacity } from '../../../src/contract/capacity.ts'
import { client } from '../api.ts'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Figure } from '../ui/figure.tsx'
import { Failed, Loading, Stale } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime, counted, duration } from '../words.ts'
import { SelfChecks } from './self-checks.tsx'
import { StartLatency } from './start-latency.tsx'

const everySeconds = 10

const capacityTexts = {
  available: 'A start begins at once.',
  busy: 'All places are taken: a start has to queue.',
  full: 'All places are taken, and the queue is full: a start is refused.',
} as const

const Places = ({ capacity }: { readonly capacity: Capacity }) => {
  const { total, in_use, available, queue, warm } = capacity
  const wait = queue.estimated_wait_seconds
  const ready = Object.entries(warm).filter(([, count]) => count > 0)
  return (
    <>
      <dl class="figures">
        <Figure name="In use" value={`${in_use} of ${total}`} text="sandboxes, of everybody" />
        <Figure name="Free" value={String(available)} text="can start without waiting" />
        <Figure name="Queue" value={`${queue.length} of ${queue.max}`} text="starts wait for a place" />
        <Figure
          name="Wait"
          value={wait === 0 ? 'none' : wait === null ? 'not known' : duration(wait)}
          text={wait === null ? 'too few sandboxes have ended to tell' : 'for one more start'}
        />
      </dl>
      <meter class="meter" min={0} max={total} value={in_use} aria-label="Places in use" />
      <h2>Built before anybody asked</h2>
      {ready.length === 0 ? (
        <p class="muted">None at the moment. A start takes some seconds.</p>
      ) : (
        <ul class="plain-list">
          {ready.map(([courseId, count]) => (
            <li key={courseId}>
              <a class="mono" href={pathTo('course', { courseId })}>
                {courseId}
              </a>
              {`: ${counted(count, 'sandbox', 'sandboxes')} ready`}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

export const StatusPage = () => {
  useTitle('Status')
  const reading = useRequest(
    'status',
    async () => {
      const [health, capacity] = await Promise.all([client.status(), client.capacity()])
      return { health, capacity }
    },
    everySeconds,
  )
  const { value, error, failedSince, reload } = reading
  return (
    <div class="narrow">
      <h1>Status</h1>
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the status" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : (
        <>
          {failedSince === undefined ? null : <Stale since={failedSince} everySeconds={everySeconds} />}
          <p class={value.health.status === 'ok' ? 'notice notice-recovered' : 'notice notice-broken'} role="status">
            <strong>{value.health.status === 'ok' ? 'Everything answers.' : 'Degraded.'}</strong>{' '}
            {value.health.status === 'ok'
              ? capacityTexts[value.capacity.status]
              : 'The container engine or the store does not answer, or disk use can only be estimated. Starts may fail; open labs live on.'}
          </p>
          <Places capacity={value.capacity} />
          <StartLatency status={value.health} />
          <SelfChecks status={value.health} />
          <p class="muted small">{`Version ${value.health.version}. Counted at ${clockTime(value.capacity.updated_at)}, and again every ${everySeconds} seconds.`}</p>
        </>
      )}
    </div>
  )
}
