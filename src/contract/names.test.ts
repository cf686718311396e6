import { expect, it } from 'vitest'
import type { z } from 'zod'
import { CourseParams } from './course.ts'
import { EvaluationQuery } from './evaluation.ts'
import { JobParams } from './job.ts'
import { absolutePath, slug } from './names.ts'
import { SandboxParams, SandboxStartRequest } from './sandbox.ts'
import { TokenCreateRequest, TokenRevokeRequest } from './token.ts'

const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

it.each<[string, z.ZodType, string]>([
  ['the id of a sandbox', SandboxParams, 'sandboxId'],
  ['the id of a job', JobParams, 'jobId'],
  ['a course that is read', CourseParams, 'courseId'],
  ['a course that is started', SandboxStartRequest, 'course_id'],
  ['a course whose evaluations are listed', EvaluationQuery, 'course_id'],
  ['a token that is revoked', TokenRevokeRequest, 'token_id'],
  ['the name of a token', TokenCreateRequest, 'name'],
])('%s holds no NUL character, which PostgreSQL does not store', (_, schema, field) => {
  expect(takes(schema, { [field]: 'one' })).toBe(true)
  expect(takes(schema, { [field]: 'o\0e' })).toBe(false)
})

it('knows an absolute path, as long as Linux takes one', () => {
  for (const path of ['/', '/etc/nginx.conf', `/${'a'.repeat(4095)}`]) expect(takes(absolutePath, path)).toBe(true)
  for (const path of ['', 'etc', './etc', '/a\0b', `/${'a'.repeat(4096)}`]) expect(takes(absolutePath, path)).toBe(false)
})

it('knows words joined by hyphens', () => {
  for (const name of ['oom-killer', 'scenario-01', '9p']) expect(takes(slug, name)).toBe(true)
  for (const name of ['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a\n']) expect(takes(slug, name)).toBe(false)
})
