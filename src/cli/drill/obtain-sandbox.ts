// The sandbox of a drill: one that is there, if the player wants it, or a new one. Ctrl-C while it is built offers to stop it.

import type { Client } from '../../client/client.ts'
import { systemClock } from '../../clock.ts'
import type { Job } from '../../contract/job.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { isLabError, LabError } from '../../errors.ts'
import { confirm } from '../lib/confirm.ts'
import { createDisplay } from '../lib/display.ts'
import { countdown } from './text.ts'

export const timeLeft = ({ expires_at }: SandboxSession) => countdown((Date.parse(expires_at) - systemClock.now().getTime()) / 1000)

/** Cancels a start, whether it waits or is built already. */
const abandon = async (client: Client, courseId: string, earlier: ReadonlySet<string>, job: Job | undefined): Promise<void> => {
  if (job !== undefined) {
    const isCancelled = await client.cancelJob(job.job_id).then(
      () => true,
      (error: unknown) => {
        if (isLabError(error, 'job_not_cancellable')) return false
        throw error
      },
    )
    if (isCancelled) return
  }
  const { items } = await client.sandboxes()
  for (const { id, course_id, session_id } of items) if (course_id === courseId && !earlier.has(id)) await client.stop(session_id)
}

const interrupted = (hint: string) => new LabError('sandbox_start_failed', 'the start was interrupted', { hint })

const build = async (client: Client, courseId: string, earlier: ReadonlySet<string>): Promise<SandboxSession> => {
  const display = createDisplay()
  const { promise: abandoned, reject } = Promise.withResolvers<never>()
  let message = 'building your sandbox'
  let job: Job | undefined
  /** Open as long as it is not answered; rejected when the player does not wait any longer. */
  let question: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    display.done()
    const isOver = await confirm({ text: '\nIt is not ready yet. Stop it?' }).catch(() => {
      throw interrupted('it is built all the same: ./lab drill goes on with it, ./lab stop stops it')
    })
    if (!isOver) return display.report(message)
    await abandon(client, courseId, earlier, job)
    throw interrupted('nothing of it is left')
  }
  const onInterrupt = () => {
    question ??= ask().then(() => {
      question = undefined
    })
    question.catch(reject)
  }
  process.on('SIGINT', onInterrupt)
  display.report(message)
  try {
    const started = client.start({ course_id: courseId }, (waiting) => {
      job = waiting
      const isQueued = waiting.queue_position !== null
      message = isQueued ? `waiting for a slot: position ${waiting.queue_position} in the queue` : 'building your sandbox'
      if (question === undefined) display.report(message)
    })
    const outcome = await Promise.race([
      started.then(
        (session) => ({ session }),
        (error: unknown) => ({ error }),
      ),
      abandoned,
    ])
    await question // the answer may be that it is not wanted any more; that is told then, not what it led to
    if ('error' in outcome) throw outcome.error
    return outcome.session
  } finally {
    process.off('SIGINT', onInterrupt)
    display.done()
  }
}

export const obtainSandbox = async (client: Client, courseId: string): Promise<SandboxSession> => {
  const { items } = await client.sandboxes()
  const existing = items.find(({ course_id, status }) => course_id === courseId && status !== 'starting')
  const question = existing && `You have a sandbox of this course, with ${timeLeft(existing)} left. Continue with it?`
  if (existing !== undefined && question !== undefined && (await confirm({ text: question, isYesByDefault: true }))) return existing
  return build(client, courseId, new Set(items.map(({ id }) => id)))
}
