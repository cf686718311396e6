// A lab: how to reach the sandbox, and how it stands.

import { basePath } from '../../../src/contract/api-version.ts'
import type { SandboxSession } from '../../../src/contract/sandbox.ts'
import { signInPath, useAccount } from '../account.ts'
import { client } from '../api.ts'
import { type PageProps, useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { CopyText } from '../ui/copy-text.tsx'
import { Failed, Loading, Stale } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime, counted, minutesUntil } from '../words.ts'

const everySeconds = 10

const statusTexts = {
  starting: 'It is being built.',
  running: 'It runs, and it is broken.',
  completed: 'It is repaired: an evaluation has passed. It lives on for a while.',
  terminated: 'It has ended.',
} as const

const noticeOf = ({ status }: SandboxSession): string => {
  if (status === 'completed') return 'notice notice-recovered'
  return status === 'running' ? 'notice notice-broken' : 'notice'
}

const shellCommand = ({ session_id }: SandboxSession) =>
  [
    `curl -s ${location.origin}${basePath}/sandbox/exec \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ session_id, command: 'hostname' })}'`,
  ].join('\n')

/** The terminal client acts for the operator; everybody has the API. */
const Ways = ({ session }: { readonly session: SandboxSession }) => {
  const { me } = useAccount()
  return (
    <>
      {me?.role === 'operator' ? (
        <>
          <h2>Get a shell</h2>
          <p>On the machine of this service, in a terminal:</p>
          <CopyText text={`./lab drill ${session.course_id}`} what="the command" />
          <p class="muted">
            It finds this sandbox, shows the ticket and opens a shell on <code>{session.containers[0]}</code>. Ctrl-] and a letter does the
            rest: g grade, h hint, t more time, ? all keys.
          </p>
        </>
      ) : null}
      <h2>Run commands by the API</h2>
      <p>
        With a personal access token of yours as <code>TOKEN</code>. The session id is in there: keep it private.{' '}
        <a href="/docs">The reference</a> shows the rest, grading and terminals included.
      </p>
      <CopyText text={shellCommand(session)} what="the command" />
    </>
  )
}

const Session = ({ session }: { readonly session: SandboxSession }) => (
  <>
    <p class={noticeOf(session)} role="status">
      {statusTexts[session.status]}
    </p>
    <dl class="facts">
      <dt>Time</dt>
      <dd>{`${counted(minutesUntil(session.expires_at, Date.now()), 'minute')} left, until ${clockTime(session.expires_at)}`}</dd>
      <dt>Machines</dt>
      <dd class="mono">{session.containers.join(' · ')}</dd>
      <dt>Evaluations</dt>
      <dd>{`${session.evaluations_left} left`}</dd>
      <dt>Name</dt>
      <dd class="mono">{session.id}</dd>
    </dl>
    {session.warnings.map((warning) => (
      <p key={warning} class="notice notice-broken">
        {warning}
      </p>
    ))}
    <Ways session={session} />
    <p>
      <a href={pathTo('course', { courseId: session.course_id })}>Read the ticket again</a>
    </p>
  </>
)

export const LabPage = ({ params }: PageProps) => {
  const { me } = useAccount()
  const id = params['sandboxId'] ?? ''
  const { value, error, failedSince, reload } = useRequest(me ? `sandbox ${id}` : null, () => client.sandbox(id), everySeconds)
  const courseId = value?.course_id
  const course = useRequest(courseId === undefined ? null : `course ${courseId}`, () => client.course(courseId ?? ''))
  const title = course.value?.title ?? 'Your lab'
  useTitle(title)
  return (
    <div class="narrow">
      <p class="eyebrow">Lab</p>
      <h1>{title}</h1>
      {me === null ? (
        <p>
          <a class="button button-primary" href={signInPath(pathTo('lab', { sandboxId: id }))}>
            Sign in to see it
          </a>
        </p>
      ) : value === undefined ? (
        error === undefined ? (
          <Loading what="your lab" />
        ) : (
          <Failed error={error} retry={reload} />
        )
      ) : (
        <>
          {failedSince === undefined ? null : <Stale since={failedSince} everySeconds={everySeconds} />}
          <Session session={value} />
        </>
      )}
    </div>
  )
}
