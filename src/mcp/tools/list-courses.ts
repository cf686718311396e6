// Lists what can be started.

import { z } from 'zod'
import { Course, CourseListQuery } from '../../contract/course.ts'
import { pageLimits, pageOf } from '../../contract/page.ts'
import { defineTool } from '../tool.ts'

export const tool = defineTool({
  title: 'List courses',
  description:
    'Lists the incidents that start_drill can start, in the order of their ids, without their long texts: lab://courses/{id} has these. ' +
    'Filter by tier or domain. Where has_more is true, call again with next_cursor as cursor and the same filters. ' +
    'A course with requires_account needs a personal access token.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rate: 'read',
  input: CourseListQuery.extend({
    limit: z.int().min(1).max(pageLimits.max).default(pageLimits.default).describe('How many courses a page holds.'),
  }),
  output: pageOf(
    Course.pick({ id: true, title: true, tier: true, domain: true, duration_minutes: true, stack: true, requires_account: true }),
  ),
  run: async ({ pages }, query) => pages.courses(query),
})
