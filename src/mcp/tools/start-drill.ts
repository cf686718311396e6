// Starts a sandbox and waits until it is ready.

import { z } from 'zod'
import type { Caller } from '../../accounts/caller.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { CourseDetail, defaultCourseId } from '../../contract/course.ts'
import { SandboxSession, SandboxStartRequest } from '../../contract/sandbox.ts'
import { isLabError, LabError } from '../../errors.ts'
import { stageSteps } from '../../sandboxes/start/staging.ts'
import { defineTool } from '../tool.ts'

const next =
  'Investigate and repair with exec_in_sandbox, grade with grade_drill as often as you need, and end with stop_drill. ' +
  'Commands run in the first container unless you name another one.'

const steps = ['preparing images', ...stageSteps]

/** What helps an agent that has as many sandboxes as it may have. */
const wayOut = ({ kind }: Caller): string =>
  kind === 'account'
    ? 'drill_status lists your drills with their session_id; end one with stop_drill'
    : 'end the one that you have with stop_drill; if its session_id is lost, it cannot be recovered: wait until it has ended by itself, ' +
      'or use a personal access token'

const findBrief = (catalog: Catalog, courseId: string): string => {
  try {
    return catalog.find(courseId).detail.brief
  } catch (error) {
    throw isLabError(error, 'not_found')
      ? new LabError(error.code, error.message, { hint: `list_courses lists all; the default is ${defaultCourseId}` })
      : error
  }
}

const withWayOut = (error: unknown, who: Caller): unknown =>
  isLabError(error, 'sandbox_limit_reached')
    ? new LabError(error.code, error.message, { hint: wayOut(who), ...(error.details === undefined ? {} : { details: error.details }) })
    : error

export const tool = defineTool({
  title: 'Start a drill',
  description:
    'Starts a private, isolated, broken system of several containers and returns its session_id and the ticket of the incident. ' +
    'Takes a second where one is kept ready, else up to half a minute, or longer on a busy machine. Keep the session_id: every other tool needs it. Stop the drill with stop_drill when you are done.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rate: 'start',
  steps: steps.length + 1, // each is told when it begins, so the last one does not end the call
  input: SandboxStartRequest.pick({ course_id: true }).extend({
    course_id: SandboxStartRequest.shape.course_id.default(defaultCourseId).describe('The id of a course; list_courses lists them.'),
  }),
  output: SandboxSession.pick({ session_id: true, course_id: true, status: true, containers: true, expires_at: true }).extend({
    brief: CourseDetail.shape.brief,
    next: z.string().describe('How to go on.'),
  }),
  run: async ({ access, catalog, sandboxes, starts }, { course_id }, { caller: who, progress, disconnected, closingCancels }) => {
    const brief = findBrief(catalog, course_id)
    const reach = (step: string) => progress(step, steps.indexOf(step) + 1) // of other messages, such as lines of image builds, it makes 0
    reach('preparing images')
    const started = await starts.start(who, { course_id }, { progress: reach, untilReady: true }).catch((error: unknown) => {
      throw withWayOut(error, who)
    })
    if (!('session' in started)) throw new Error('a start that waits until it is ready gave a job')
    const { session } = started
    const row = await access.held(who, session.session_id)
    const remove = () => sandboxes.discard(row)
    // An account finds its sandbox again with drill_status; nobody else could use or stop one whose session_id was not received.
    if (closingCancels || who.kind === 'anonymous') {
      if (disconnected.aborted) await remove()
      else disconnected.addEventListener('abort', remove, { once: true })
    }
    return { ...session, brief, next }
  },
})
