// Courses of the catalog, on the wire.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { domainFilter, pageOf, pageQuery } from './page.ts'

/** The default course; the service is ready as soon as its images exist. */
export const defaultCourseId = 'scenario-01'

export const Tier = z.enum(['beginner', 'intermediate', 'advanced', 'expert'])

export const Course = z
  .object({
    id: z.string().meta({ examples: [defaultCourseId] }),
    title: z.string(),
    tier: Tier,
    domain: z.string().meta({ examples: ['web-server'] }),
    description: z.string(),
    duration_minutes: z.int(),
    stack: z.array(z.string()),
    kind: z.enum(['incident', 'foundation', 'track']),
    access: z.enum(['free', 'pro']),
    requires_account: z.boolean().describe('Its machines have extra Linux capabilities: not for anonymous callers.'),
    cluster: z.enum(['standard', 'large']).describe('A large one is for people: it needs a permission and always starts asynchronously.'),
  })
  .meta({ id: 'Course' })
export type Course = z.infer<typeof Course>

/** The detail of a course. It describes the symptom of the fault, never its cause. */
export const CourseDetail = Course.extend({
  topology: z.object({
    services: z.array(z.object({ name: z.string(), role: z.string(), image: z.string(), ports: z.array(z.int()) })),
    links: z.array(z.object({ from: z.string(), to: z.string(), port: z.int() })),
  }),
  learning_objectives: z.array(z.string()),
  fault: z.object({ symptom: z.string(), impact: z.string(), started: z.string() }).describe('What is seen from outside; never the cause.'),
  checkpoints: z.array(z.string()).describe('The names of the seven steps.'),
  hints_available: z.int(),
  brief: z.string().describe('The page that the on-call engineer gets, in Markdown.'),
}).meta({ id: 'CourseDetail' })
export type CourseDetail = z.infer<typeof CourseDetail>

export const CourseParams = z.strictObject({
  courseId: lookupId.meta({ examples: [defaultCourseId] }),
})

export const CourseListQuery = z.strictObject({
  ...pageQuery,
  tier: Tier.optional().describe('How hard it is.'),
  domain: domainFilter,
})
export type CourseListQuery = z.infer<typeof CourseListQuery>

const Facet = z.object({ name: z.string(), count: z.int() })

export const CourseList = pageOf(Course)
  .extend({
    facets: z
      .object({
        tiers: z.array(Facet).describe('All tiers, the easiest first, with the courses of the chosen domain.'),
        domains: z.array(Facet).describe('All domains of the catalog, with the courses of the chosen tier.'),
      })
      .describe('What the filters can be, and how many courses each would show.'),
  })
  .meta({ id: 'CourseList' })
export type CourseList = z.infer<typeof CourseList>
