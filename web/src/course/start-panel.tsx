// Starts a sandbox of the course, and says how it goes: room, queue, building, refused. A start goes on when the page is left.

import { useRef, useState } from 'preact/hooks'
import type { Course } from '../../../src/contract/course.ts'
import type { Job } from '../../../src/contract/job.ts'
import { signInPath, useAccount } from '../account.ts'
import { client, type Failure, failureOf } from '../api.ts'
import { keepTicket } from '../lab/lab-tickets.ts'
import { pathTo } from '../route.ts'
import { navigate } from '../router.ts'
import { counted, duration, minutesUntil, sentence } from '../words.ts'
import type { StartFacts } from './start-facts.ts'
import { refusalOf, roomText } from './start-state.ts'

type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly job: Job | null }
  | { readonly kind: 'failed'; readonly error: Failure }

const progressText = (job: Job | null): string => {
  if (job?.status === 'queued') {
    const wait = job.estimated_wait_seconds === null ? '' : `, about ${duration(job.estimated_wait_seconds)}`
    return `Waiting for a place: number ${job.queue_position ?? '?'} in the queue${wait}.`
  }
  return 'Building the machines, then breaking them. This takes some seconds.'
}

/** It is built while its page is shown. */
const startAsVisitor = async (courseId: string): Promise<void> => {
  const { id, ticket } = await client.startAsVisitor(courseId)
  keepTicket(id, ticket)
  if (location.pathname === pathTo('course', { courseId })) navigate(pathTo('lab', { sandboxId: id }))
}

const useStart = (courseId: string) => {
  const { me, reload } = useAccount()
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' })
  const job = useRef<string | null>(null)
  const start = async () => {
    setProgress({ kind: 'starting', job: null })
    try {
      if (me === null) return await startAsVisitor(courseId)
      const session = await client.start({ course_id: courseId, async: true }, (waiting) => {
        job.current = waiting.job_id
        setProgress({ kind: 'starting', job: waiting })
      })
      reload()
      if (location.pathname === pathTo('course', { courseId })) navigate(pathTo('lab', { sandboxId: session.id }))
    } catch (error) {
      setProgress({ kind: 'failed', error: failureOf(error) })
    }
  }
  const cancel = async () => {
    if (job.current !== null)
      await client.cancelJob(job.current).catch((error: unknown) => setProgress({ kind: 'failed', error: failureOf(error) }))
  }
  return { progress, start: () => void start(), cancel: () => void cancel() }
}

/** `open` is a lab that the reader has. */
const Refused = ({ error, open }: { readonly error: Failure; readonly open: { readonly id: string } | undefined }) => (
  <div class="notice notice-failed" role="alert">
    <p>{sentence(error.message)}</p>
    {error.code === 'sandbox_limit_reached' && open !== undefined ? (
      <p>
        <a href={pathTo('lab', { sandboxId: open.id })}>Go to the lab that you have open</a>, and stop it first.
      </p>
    ) : error.hint === undefined ? null : (
      <p>{sentence(error.hint)}</p>
    )}
    {error.code === 'plan_required' ? (
      <p>
        <a href="/pricing">See the plans</a>
      </p>
    ) : null}
  </div>
)

interface StartProps {
  readonly course: Course
  readonly facts: StartFacts
}

const Buttons = ({ course, facts }: StartProps) => {
  const { me, sandboxes } = useAccount()
  const { settings, visitorLabs } = facts
  const { progress, start, cancel } = useStart(course.id)
  const all = [...sandboxes, ...visitorLabs]
  const open = all.find(({ course_id }) => course_id === course.id)
  if (me === undefined || settings === undefined)
    return <p class="muted">The server does not tell whether it can be started. Load the page again.</p>
  const refusal = refusalOf(course, me, settings)
  if (progress.kind === 'starting') {
    const { job } = progress
    return (
      <div class="starting" role="status">
        <p class="pulse">{progressText(job)}</p>
        {job?.status === 'queued' ? (
          <button type="button" class="button" onClick={cancel}>
            Leave the queue
          </button>
        ) : null}
        <p class="muted small">You may leave this page. The lab appears at the top of every page once it is ready.</p>
      </div>
    )
  }
  if (open !== undefined) {
    return (
      <>
        <p>{`You have this lab open, with ${counted(minutesUntil(open.expires_at, Date.now()), 'minute')} left.`}</p>
        <a class="button button-primary button-large" href={pathTo('lab', { sandboxId: open.id })}>
          Continue
        </a>
      </>
    )
  }
  if (refusal === 'engine')
    return <p>This server cannot start it: its machines need Linux capabilities that the container engine does not confine.</p>
  if (refusal === 'sign_in') {
    return (
      <>
        <a class="button button-primary button-large" href={signInPath(pathTo('course', { courseId: course.id }))}>
          Sign in to start
        </a>
        <p class="muted small">
          Reading needs no account. An AI agent needs none either: <a href={pathTo('connect')}>connect it</a>.
        </p>
      </>
    )
  }
  if (refusal !== null) {
    return (
      <>
        <p>{refusal === 'plan' ? 'Starting this one needs a plan.' : 'Each start costs a credit, and you have none left.'}</p>
        <a class="button button-primary button-large" href="/pricing">
          See the plans
        </a>
      </>
    )
  }
  return (
    <>
      {progress.kind === 'failed' ? <Refused error={progress.error} open={all[0]} /> : null}
      <button type="button" class="button button-primary button-large" onClick={start}>
        Start the incident
      </button>
      {me === null ? (
        <p class="muted small">
          {`No account is needed. It lives ${counted(settings.limits.sandbox_anonymous_minutes, 'minute')}; `}
          <a href={signInPath(pathTo('course', { courseId: course.id }))}>sign in</a> for more time, and to keep your results.
        </p>
      ) : null}
      {settings.requires_plan && me?.plan === null ? (
        <p class="muted small">{`It costs one credit; you have ${me?.credits ?? 0}. A start that fails costs nothing.`}</p>
      ) : null}
    </>
  )
}

const Room = ({ course, facts }: StartProps) => {
  const { value } = facts.capacity
  if (value === undefined) return <p class="room muted">The server does not tell how many places are free.</p>
  return (
    <p class={`room room-${value.status}`} role="status">
      {roomText(value, course.id)}
    </p>
  )
}

export const StartPanel = (props: StartProps) => (
  <section class="panel start-panel" aria-label="Start">
    <Buttons {...props} />
    <Room {...props} />
  </section>
)
