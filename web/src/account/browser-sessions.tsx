// The browsers that are signed in to the account, and the end of one or of all others.

import { useState } from 'preact/hooks'
import type { BrowserSession } from '../../../src/contract/account.ts'
import { client } from '../api.ts'
import { type Asking, Question } from '../lab/question.tsx'
import { signOut } from '../sign-out.ts'
import { Refusal } from '../ui/refusal.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { useAction } from '../use-action.ts'
import type { Reading } from '../use-request.ts'
import { day, moment } from '../words.ts'

interface Ending {
  readonly end: (session: BrowserSession) => void
  readonly isBusy: boolean
}

const SessionRow = ({ session, end, isBusy }: { readonly session: BrowserSession } & Ending) => (
  <tr>
    <td>
      {session.user_agent}
      {session.is_current ? <span class="tag tag-here">This browser</span> : null}
    </td>
    <td>{day(session.created_at)}</td>
    <td>{moment(session.last_used_at)}</td>
    <td class="cell-action">
      <button
        type="button"
        class="button button-small"
        disabled={isBusy}
        aria-label={
          session.is_current ? 'Sign out of this browser' : `Sign out of ${session.user_agent}, signed in on ${day(session.created_at)}`
        }
        onClick={() => end(session)}
      >
        Sign out
      </button>
    </td>
  </tr>
)

const othersQuestion = (act: () => void): Asking => ({
  title: 'Sign out everywhere else?',
  text: 'All other browsers have to sign in again. Tokens stay valid.',
  yes: 'Sign out everywhere else',
  isDestructive: false,
  act,
})

export const BrowserSessions = ({ reading }: { readonly reading: Reading<{ readonly items: readonly BrowserSession[] }> }) => {
  const { value, error, reload } = reading
  const [isAsked, setAsked] = useState(false)
  const action = useAction()
  const end = (session: BrowserSession) =>
    action.run(async () => {
      if (session.is_current) return signOut()
      await client.endBrowserSessions({ browser_session_id: session.browser_session_id })
      reload()
    })
  const endOthers = () =>
    action.run(async () => {
      await client.endBrowserSessions({ others: true })
      reload()
    })
  return (
    <section class="panel" aria-labelledby="sessions">
      <div class="panel-head">
        <h2 id="sessions">Signed-in browsers</h2>
        {value !== undefined && value.items.length > 1 ? (
          <button type="button" class="button button-small" disabled={action.isBusy} onClick={() => setAsked(true)}>
            Sign out of all others
          </button>
        ) : null}
      </div>
      <Refusal error={action.error} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the sessions" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : (
        <Table label="Signed-in browsers" columns={['Browser', 'Signed in', 'Last used', { unseen: 'Sign out' }]}>
          {value.items.map((session) => (
            <SessionRow key={session.browser_session_id} session={session} end={end} isBusy={action.isBusy} />
          ))}
        </Table>
      )}
      <Question asking={isAsked ? othersQuestion(endOthers) : null} close={() => setAsked(false)} />
    </section>
  )
}
