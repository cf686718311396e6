// The sandboxes of everybody, oldest first, each of which the operator can end.

import { useState } from 'preact/hooks'
import type { SandboxOverview } from '../../../src/contract/operator.ts'
import { client } from '../api.ts'
import { type Asking, Question } from '../lab/question.tsx'
import { pathTo } from '../route.ts'
import { Refusal } from '../ui/refusal.tsx'
import { Table } from '../ui/table.tsx'
import { useAction } from '../use-action.ts'
import { clockTime, shortDuration } from '../words.ts'
import { ageOf, holderOf, stateOf } from './sandbox-words.ts'

const endQuestion = (sandbox: SandboxOverview, now: number, act: (reason: string) => void): Asking => ({
  title: `End ${sandbox.id}?`,
  text: `It is a sandbox of ${sandbox.course_id}, ${holderOf(sandbox)}, ${shortDuration(ageOf(sandbox, now))} old. Its machines are removed, and all work in them is lost.`,
  yes: 'End the sandbox',
  isDestructive: true,
  field: { label: 'Why, for whoever is in it (may be left empty)', maxLength: 200 },
  act,
})

const Row = ({ sandbox, now, ask, isBusy }: { sandbox: SandboxOverview; now: number; ask: () => void; isBusy: boolean }) => (
  <tr>
    <th scope="row" class="mono">
      {sandbox.id}
    </th>
    <td>
      <a class="mono" href={pathTo('course', { courseId: sandbox.course_id })}>
        {sandbox.course_id}
      </a>
    </td>
    <td>{holderOf(sandbox)}</td>
    <td>{stateOf(sandbox)}</td>
    <td class="number">{shortDuration(ageOf(sandbox, now))}</td>
    <td class="number">{clockTime(sandbox.expires_at)}</td>
    <td class="mono">{sandbox.node}</td>
    <td class="cell-action">
      <button type="button" class="button button-small" disabled={isBusy} aria-label={`End ${sandbox.id}`} onClick={ask}>
        End
      </button>
    </td>
  </tr>
)

export interface LiveSandboxesProps {
  readonly sandboxes: readonly SandboxOverview[]
  /** When they were read. */
  readonly now: number
  readonly reload: () => void
}

export const LiveSandboxes = ({ sandboxes, now, reload }: LiveSandboxesProps) => {
  const [asked, setAsked] = useState<SandboxOverview | null>(null)
  const { isBusy, error, run } = useAction()
  const end = ({ id }: SandboxOverview, reason: string) =>
    run(async () => {
      await client.endAnySandbox(id, reason === '' ? undefined : reason)
      reload()
    })
  return (
    <section class="panel" aria-labelledby="live">
      <h2 id="live">Live sandboxes</h2>
      <Refusal error={error} />
      {sandboxes.length === 0 ? (
        <p class="muted">None: nobody has one, and none is kept warm.</p>
      ) : (
        <Table label="Live sandboxes" columns={['Sandbox', 'Course', 'Account', 'State', 'Age', 'Ends', 'Server', { unseen: 'End' }]}>
          {sandboxes.map((sandbox) => (
            <Row key={sandbox.id} sandbox={sandbox} now={now} ask={() => setAsked(sandbox)} isBusy={isBusy} />
          ))}
        </Table>
      )}
      <Question asking={asked === null ? null : endQuestion(asked, now, (reason) => end(asked, reason))} close={() => setAsked(null)} />
    </section>
  )
}
