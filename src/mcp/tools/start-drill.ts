// Starts a sandbox and waits until it is ready.

import { z } from 'zod'
import { CourseDetail, defaultCourseId } from '../../contract/course.ts'
import { SandboxSession, SandboxStartRequest } from '../../contract/sandbox.ts'
import { apiToken, defineTool } from '../tool.ts'

const next =
  'Investigate and repair with exec_in_sandbox, grade with grade_drill as often as you need, and end with stop_drill. ' +
  'Commands run in the first container unless you name another one.'

export const tool = defineTool({
  title: 'Start a drill',
  description:
    'Starts a private, isolated, broken system of several containers and returns its session_id and the ticket of the incident. ' +
    'Takes a few seconds. Stop it with stop_drill when you are done.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rate: 'start',
  input: SandboxStartRequest.pick({ course_id: true }).extend({
    course_id: SandboxStartRequest.shape.course_id.default(defaultCourseId).describe('A course of the resource lab://courses.'),
    api_token: apiToken,
  }),
  output: SandboxSession.pick({ session_id: true, course_id: true, status: true, containers: true, expires_at: true }).extend({
    brief: CourseDetail.shape.brief,
    next: z.string().describe('How to go on.'),
  }),
  run: async ({ access, catalog, sandboxes, starts }, { course_id }, { caller, progress, withdrawn }) => {
    const who = caller()
    const started = await starts.start(who, { course_id }, { progress, untilReady: true })
    if (!('session' in started)) throw new Error('a start that waits until it is ready gave a job')
    const { session } = started
    if (withdrawn.aborted) await sandboxes.stop(await access.held(who, session.session_id))
    return { ...session, brief: catalog.find(course_id).detail.brief, next }
  },
})
