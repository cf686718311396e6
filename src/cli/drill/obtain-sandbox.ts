// The sandbox of a drill: one that is there, if the player wants it, or a new one. Ctrl-C while it is built offers to stop it.

import type { Client } from '../../client/client.ts'
import { systemClock } from '../../clock.ts'
import type { Job } from '../../contract/job.ts'
import type { SandboxSession } from '../../contract/sandbox.ts'
import { isLabError, LabError } from '../../errors.ts'
import { createDisplay } from '../lib/display.ts'
import { agrees } from '../lib/questions.ts'
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

const build = async (client: Client, courseId: string, earlier: ReadonlySet<string>): Promise<SandboxSession> => {
  const display = createDisplay()
  let message = 'building your sandbox'
  let job: Job | undefined
  let isAsking = false
  const { promise: abandoned, reject } = Promise.withResolvers<never>()
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    display.done()
    const isOver = await agrees({ text: '\nIt is not ready yet. Stop it?' }).catch(() => true) // Ctrl-C once more
    isAsking = false
    if (!isOver) return display.report(message)
    await abandon(client, courseId, earlier, job)
    throw new LabError('sandbox_start_failed', 'the start was interrupted', { hint: 'nothing of it is left' })
  }
  const onInterrupt = () => void ask().catch(reject)
  process.on('SIGINT', onInterrupt)
  display.report(message)
  const started = client.start({ course_id: courseId }, (waiting) => {
    job = waiting
    if (waiting.queue_position !== null) message = `waiting for a slot: position ${waiting.queue_position} in the queue`
    else message = 'building your sandbox'
    if (!isAsking) display.report(message)
  })
  try {
    return await Promise.race([settled(started, () => isAsking), abandoned])
  } finally {
    process.off('SIGINT', onInterrupt)
    display.done()
  }
}

/** Not before a question is answered: the answer may be that it is not wanted any more. */
const settled = async (started: Promise<SandboxSession>, isAsking: () => boolean): Promise<SandboxSession> => {
  const outcome = await started.then(
    (session) => ({ session }),
    (error: unknown) => ({ error }),
  )
  while (isAsking()) await systemClock.sleep(100)
  if ('session' in outcome) return outcome.session
  // Let the interruption be told, not what it led to.
  await systemClock.sleep(isLabError(outcome.error, 'sandbox_not_running') ? 1_000 : 0)
  throw outcome.error
}

export const obtainSandbox = async (client: Client, courseId: string): Promise<SandboxSession> => {
  const { items } = await client.sandboxes()
  const existing = items.find(({ course_id, status }) => course_id === courseId && status !== 'starting')
  const question = existing && `You have a sandbox of this course, with ${timeLeft(existing)} left. Continue with it?`
  if (existing !== undefined && question !== undefined && (await agrees({ text: question, isYesByDefault: true }))) return existing
  return build(client, courseId, new Set(items.map(({ id }) => id)))
}
