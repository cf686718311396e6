// What the service has last checked of itself, and with what result.

import type { ServiceStatus } from '../../../src/contract/status.ts'
import { Glyph } from '../ui/icons.tsx'
import { moment } from '../words.ts'

const names = {
  engine: 'The container engine answers',
  store: 'The store answers',
  disk_watch: 'Disk use of sandboxes is measured',
  isolation: 'Nothing outside is reachable from inside a sandbox',
} as const

export const SelfChecks = ({ status }: { readonly status: ServiceStatus }) => (
  <>
    <h2>What it checks of itself</h2>
    <ul class="self-checks">
      {status.checks.map(({ name, passed, checked_at }) => (
        <li key={name} class={passed ? 'check-held' : 'check-failed'}>
          <Glyph name={passed ? 'check' : 'close'} size={16} />
          <span>{`${names[name]}: ${passed ? 'yes' : 'no'}`}</span>
          <time class="muted small" dateTime={checked_at}>
            {moment(checked_at)}
          </time>
        </li>
      ))}
    </ul>
    <p class="muted small">{`This server has served since ${moment(status.since)}.`}</p>
  </>
)
