// The prompt that briefs an agent for one course.

import { completable, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Catalog } from '../catalog/catalog.ts'
import { defaultCourseId } from '../contract/course.ts'

export const promptName = 'resolve_incident'

const orders = (
  courseId: string,
  brief: string,
) => `You are the on-call engineer. Start the incident with start_drill and course_id "${courseId}", \
find its root cause with exec_in_sandbox, repair it so that it survives a restart, and prove it with grade_drill. \
Work on the cause, not on the symptom; lose no data and weaken no safeguard. When it is graded as passed, \
or when you give up, call stop_drill and report the cause, the repair and the score.

The ticket:

${brief}`

export const addPrompts = (server: McpServer, catalog: Catalog): void => {
  const ids = catalog.scenarios.map(({ id }) => id)
  const course_id = completable(z.string().max(64), (start) => ids.filter((id) => id.startsWith(start))).optional()
  server.registerPrompt(
    promptName,
    {
      title: 'Resolve an incident',
      description: 'Briefs an agent to start a course, repair it, have it graded and clean up.',
      argsSchema: z.object({ course_id }),
    },
    ({ course_id: asked }) => {
      const id = asked || defaultCourseId
      const scenario = catalog.scenarios.find((entry) => entry.id === id)
      if (scenario === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no course ${id}`)
      return { messages: [{ role: 'user', content: { type: 'text', text: orders(id, scenario.detail.brief) } }] }
    },
  )
}
