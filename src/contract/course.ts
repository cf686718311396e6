import { z } from 'zod'

/** What is played when nobody says what; the service is ready as soon as this one is. */
export const defaultCourseId = 'scenario-01'

export const Tier = z.enum(['beginner', 'intermediate', 'advanced', 'expert'])

export const Course = z.object({
  id: z.string(),
  title: z.string(),
  tier: Tier,
  domain: z.string(),
  description: z.string(),
  duration_minutes: z.int(),
  stack: z.array(z.string()),
  kind: z.enum(['incident', 'foundation', 'track']),
  access: z.enum(['free', 'pro']),
  cluster: z.enum(['standard', 'large']),
})
export type Course = z.infer<typeof Course>

/** The detail read. The fault is told at symptom level only: never its cause. */
export const CourseDetail = Course.extend({
  topology: z.object({
    services: z.array(z.object({ name: z.string(), role: z.string(), image: z.string(), ports: z.array(z.int()) })),
    links: z.array(z.object({ from: z.string(), to: z.string(), port: z.int() })),
  }),
  learning_objectives: z.array(z.string()),
  fault: z.object({ symptom: z.string(), impact: z.string(), started: z.string() }),
  checkpoints: z.array(z.string()),
  hints_available: z.int(),
  brief: z.string().describe('The page that the on-call engineer gets, in Markdown.'),
})
export type CourseDetail = z.infer<typeof CourseDetail>

export const CourseParams = z.strictObject({ courseId: z.string().min(1).max(64) })

export const CourseListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  tier: Tier.optional(),
  domain: z.string().min(1).max(64).optional(),
  cursor: z.string().min(1).max(512).optional(),
})
export type CourseListQuery = z.infer<typeof CourseListQuery>

export const CourseList = z.object({
  items: z.array(Course),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  total_count: z.int(),
})
export type CourseList = z.infer<typeof CourseList>
