// Courses of the catalog, on the wire.

import { z } from 'zod'
import { lookupId } from './names.ts'
import { domainFilter, pageOf, pageQuery } from './page.ts'

/** The default course; the service is ready as soon as its images exist. */
export const defaultCourseId = 'scenario-01'

export const Tier = z.enum(['beginner', 'intermediate', 'advanced', 'expert']).describe('How hard it is.')

export const Course = z
  .object({
    id: z
      .string()
      .describe('By which it is started.')
      .meta({ examples: [defaultCourseId] }),
    title: z.string().describe('What is wrong, in a few words.'),
    tier: Tier,
    domain: z
      .string()
      .describe('The field of engineering.')
      .meta({ examples: ['web-server'] }),
    description: z.string().describe('What happened, in a few sentences.'),
    duration_minutes: z.int().describe('How long a person usually takes.'),
    stack: z.array(z.string()).describe('The programs that it is built of.'),
    kind: z.enum(['incident', 'foundation', 'track']).describe('An incident to repair, an exercise in the basics, or a series of courses.'),
    access: z.enum(['free', 'pro']).describe('`pro`: where plans are sold, starting it needs one.'),
    requires_account: z.boolean().describe('Its machines have extra Linux capabilities: not for anonymous callers.'),
    cluster: z
      .enum(['standard', 'large'])
      .describe('A large one is for people: it needs a permission or a plan, and always starts asynchronously.'),
  })
  .meta({ id: 'Course' })
export type Course = z.infer<typeof Course>

/** The detail of a course. It describes the symptom of the fault, never its cause. */
export const CourseDetail = Course.extend({
  topology: z
    .object({
      services: z
        .array(
          z.object({
            name: z.string().describe('Its host name, and the `container` to name in a command.'),
            role: z.string().describe('What it is there for.'),
            image: z.string().describe('What it is made of.'),
            ports: z.array(z.int()).describe('Where it listens.'),
          }),
        )
        .describe('The containers; the first is the workstation.'),
      links: z
        .array(
          z.object({
            from: z.string().describe('The service that connects.'),
            to: z.string().describe('The service that is connected to.'),
            port: z.int().describe('The port of `to`.'),
          }),
        )
        .describe('Who talks to whom.'),
      networks: z
        .array(
          z.object({
            name: z.string().describe('What the network is called.'),
            services: z.array(z.string()).describe('The services on it, by name.'),
          }),
        )
        .describe('Which services can reach each other: those on the same network.'),
    })
    .describe('The machines of the sandbox and how they are connected.'),
  learning_objectives: z.array(z.string()).describe('What it teaches.'),
  fault: z
    .object({
      symptom: z.string().describe('What users see.'),
      impact: z.string().describe('What it costs them.'),
      started: z.string().describe('Since when.'),
    })
    .describe('What is seen from outside; never the cause.'),
  checkpoints: z.array(z.string()).describe('The names of the seven steps.'),
  hints_available: z.int().describe('How many hints can be asked for.'),
  brief: z.string().describe('The page that the on-call engineer gets, in Markdown.'),
}).meta({ id: 'CourseDetail' })
export type CourseDetail = z.infer<typeof CourseDetail>

export const CourseParams = z.strictObject({
  courseId: lookupId.describe('`id` of a course.').meta({ examples: [defaultCourseId] }),
})

export const CourseListQuery = z.strictObject({
  ...pageQuery,
  tier: Tier.optional().describe('How hard it is.'),
  domain: domainFilter,
})
export type CourseListQuery = z.infer<typeof CourseListQuery>

const Facet = z.object({ name: z.string().describe('A value of the filter.'), count: z.int().describe('The courses that it would show.') })

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
