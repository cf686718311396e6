// Lists the courses of the running server.

import { type Client, createClient } from '../client/client.ts'
import type { Course, CourseListQuery } from '../contract/course.ts'
import { LabError } from '../errors.ts'
import { configOf, type DataOptions, withData } from './lib/options.ts'
import { pluralize } from './lib/pluralize.ts'
import { serverUrl } from './lib/server-client.ts'
import { printTable } from './lib/table.ts'
import type { Verb } from './main.ts'

interface CoursesOptions extends DataOptions {
  readonly tier?: CourseListQuery['tier']
  readonly domain?: string
  readonly json?: boolean
}

const allCourses = async (client: Client, query: Pick<CourseListQuery, 'tier' | 'domain'>): Promise<Course[]> => {
  const found: Course[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.courses({ ...query, limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.items)
    if (page.next_cursor === null || page.next_cursor === undefined) return found
    cursor = page.next_cursor
  }
}

export const verb: Verb = (program) => {
  withData(program.command('courses'))
    .description('list the courses of the running server')
    .option('--tier <tier>', 'only this tier: beginner, intermediate, advanced or expert')
    .option('--domain <domain>', 'only this domain, such as database')
    .option('--json', 'print JSON')
    .action(async ({ tier, domain, json, ...options }: CoursesOptions) => {
      const client = createClient({ rootUrl: await serverUrl(configOf(options)) })
      const query = { ...(tier === undefined ? {} : { tier }), ...(domain === undefined ? {} : { domain }) }
      const courses = await allCourses(client, query)
      if (json === true) return console.log(JSON.stringify(courses, null, 2))
      if (courses.length === 0) throw new LabError('not_found', 'there is no such course', { hint: './lab courses lists all' })
      const rows = courses.map((course) => [course.id, course.tier, course.domain, `${course.duration_minutes ?? ''} min`, course.title])
      printTable([['course', 'tier', 'domain', 'time', 'title'], ...rows], { fits: true })
      console.log(`\n${pluralize(courses.length, 'course')}; ./lab drill <course> plays one.`)
    })
}
