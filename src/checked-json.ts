// Parses JSON and checks it against a schema: what helper programs of ours print (the probe, the inspector, the disk meter), and what files
// and columns of the database hold. What programs print holds bytes that a sandbox chose, and files outlive versions.

import type { z } from 'zod'
import { summarizeIssues } from './validation-messages.ts'

export class InvalidJson extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidJson'
  }
}

/** Throws InvalidJson. */
export const checkValue = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { summary } = summarizeIssues(parsed.error.issues, 'all of it')
  throw new InvalidJson(`an answer does not match its schema: ${summary}`.slice(0, 300), parsed.error)
}

/** The same for JSON text. */
export const parseCheckedJson = <Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidJson('an answer is not JSON', error)
  }
  return checkValue(schema, value)
}
