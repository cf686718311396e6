// What programs of ours answer, one JSON text each, and what files and columns give back. Programs read what sandboxes write,
// files outlive versions: an answer is believed only when it has the shape that was asked for.

import type { z } from 'zod'
import { tellIssues } from './problems.ts'

export class Misshapen extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'Misshapen'
  }
}

/** Throws Misshapen. */
export const parseAnswer = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { summary } = tellIssues(parsed.error.issues, 'all of it')
  throw new Misshapen(`an answer is not what was asked for: ${summary}`.slice(0, 300), parsed.error)
}

/** The same for the text itself. */
export const readAnswer = <Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Misshapen('an answer is no JSON', error)
  }
  return parseAnswer(schema, value)
}
