import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LabError } from '../errors.ts'
import { createLog } from '../log.ts'
import { failure, parseArguments, success } from './result.ts'

const log = createLog('silent')
const about = { tool: 'some_tool', requestId: 'r1' }
const textOf = ({ content }: ReturnType<typeof failure>) => (content[0]?.type === 'text' ? content[0].text : '')

describe('a tool result', () => {
  it('holds what the shape names and nothing else, twice', () => {
    const result = success({ output: z.object({ a: z.string() }) }, { a: 'x', secret: 'y' })
    expect(result.structuredContent).toEqual({ a: 'x' })
    expect(JSON.parse(textOf(result))).toEqual({ a: 'x' })
    expect(result.isError).toBeUndefined()
  })

  it('that may be long holds it once, as text', () => {
    const result = success({ output: z.object({ a: z.string() }), textOnly: true }, { a: 'x', secret: 'y' })
    expect(JSON.parse(textOf(result))).toEqual({ a: 'x' })
    expect(Object.keys(result)).toEqual(['content'])
  })

  it('carries code, message, hint and patience of a known failure', () => {
    const result = failure(new LabError('capacity_exhausted', 'full', { hint: 'later', retryAfterSeconds: 30 }), log, about)
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(JSON.parse(textOf(result))).toEqual({
      error: { code: 'capacity_exhausted', message: 'full', resolution_hint: 'later', retry_after_seconds: 30, request_id: 'r1' },
    })
  })

  it('shows nothing of an unknown failure, and nothing of a cause', () => {
    for (const error of [new Error('password is hunter2'), 'hunter2', undefined, new LabError('internal', 'sorry', { cause: 'hunter2' })]) {
      const text = textOf(failure(error, log, about))
      expect(text).not.toContain('hunter2')
      expect(JSON.parse(text).error.code).toBe('internal')
    }
  })
})

describe('arguments', () => {
  const shape = z.strictObject({ name: z.string(), api_token: z.string().optional() })

  it('may be left out when nothing is required', () => {
    expect(parseArguments(z.strictObject({ a: z.string().default('x') }), undefined)).toEqual({ a: 'x' })
  })

  it('are refused by their names, without their values', () => {
    const attempt = () => parseArguments(shape, { api_token: 12345, extra: 'hunter2' })
    expect(attempt).toThrow(/^(?=.*name: )(?=.*api_token: )(?=.*extra: is not a known argument)(?!.*(12345|hunter2))/)
  })
})
