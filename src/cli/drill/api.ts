// The REST calls of a drill, by the same contract that the server answers with. Refusals come back as LabErrors.

import type { z } from 'zod'
import { CourseDetail } from '../../contract/course.ts'
import { ErrorEnvelope } from '../../contract/error.ts'
import { Evaluation, Hint } from '../../contract/evaluation.ts'
import { SandboxList, SandboxSession } from '../../contract/sandbox.ts'
import { type ErrorCode, LabError, statusOf } from '../../errors.ts'

/** The error that the server named, as if it had been thrown here. */
export const toLabError = ({ error }: ErrorEnvelope, retryAfter: string | null = null): LabError =>
  new LabError(Object.hasOwn(statusOf, error.code) ? (error.code as ErrorCode) : 'internal', error.message, {
    ...(error.resolution_hint === undefined ? {} : { hint: error.resolution_hint }),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  })

const refusal = (body: unknown, { status, headers }: Response): LabError => {
  const envelope = ErrorEnvelope.safeParse(body)
  return envelope.success
    ? toLabError(envelope.data, headers.get('retry-after'))
    : new LabError('internal', `the server answered ${status} without a reason`)
}

export const createApi = (url: string, token: string) => {
  const call = async <T extends z.ZodType>(answer: T, method: string, path: string, body?: unknown): Promise<z.infer<T>> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new LabError('engine_unavailable', `the server at ${url} does not answer`, { hint: './lab status says more', cause: error })
    })
    const content: unknown = await response.json().catch(() => undefined)
    if (!response.ok) throw refusal(content, response)
    return answer.parse(content)
  }

  return {
    course: (id: string) => call(CourseDetail, 'GET', `/courses/${encodeURIComponent(id)}`),
    list: () => call(SandboxList, 'GET', '/sandbox'),
    read: (id: string) => call(SandboxSession, 'GET', `/sandbox/${id}`),
    start: (course_id: string) => call(SandboxSession, 'POST', '/sandbox/start', { course_id }),
    evaluate: (session_id: string) => call(Evaluation, 'POST', '/sandbox/eval', { session_id }),
    hint: (session_id: string) => call(Hint, 'POST', '/sandbox/hint', { session_id }),
    stop: (session_id: string) => call(SandboxSession, 'POST', '/sandbox/stop', { session_id }),
  }
}

export type Api = ReturnType<typeof createApi>
