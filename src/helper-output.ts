// Parses the JSON that helper programs of ours print (the probe, the inspector, the disk meter) and that files and columns hold.
// What programs print holds bytes that a sandbox chose, and files outlive versions, so everything is checked against a schema.

import type { z } from 'zod'
import { tellIssues } from './validation-messages.ts'

export class InvalidOutput extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidOutput'
  }
}

/** Throws InvalidOutput. */
export const parseAnswer = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { summary } = tellIssues(parsed.error.issues, 'all of it')
  throw new InvalidOutput(`an answer does not match its schema: ${summary}`.slice(0, 300), parsed.error)
}

/** The same for the text itself. */
export const readAnswer = <Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidOutput('an answer is not JSON', error)
  }
  return parseAnswer(schema, value)
}
