// Errors that payment providers have in common.

import type { z } from 'zod'
import { LabError } from '../../errors.ts'
import { summarizeIssues } from '../../validation-messages.ts'

const retryAfterSeconds = 30

/** `reason` goes to the log only, with the error: it holds neither keys nor what a customer entered. */
export const providerUnavailable = (title: string, reason: string, hint = 'try again in a minute'): LabError =>
  new LabError('payment_provider_unavailable', `${title} does not answer as it should`, {
    hint,
    retryAfterSeconds,
    cause: new Error(reason),
  })

/** A signed event that is not what this version knows. `problem` names fields, never values. */
export const unreadableEvent = (title: string, problem: string): LabError =>
  new LabError('unreadable_event', `an event of ${title} cannot be read: ${problem}`)

const problemsOf = (error: z.ZodError): string => summarizeIssues(error.issues, 'all of it').summary

/** A part of a signed event. Throws unreadable_event. */
export const readEventPart = <Schema extends z.ZodType>(title: string, schema: Schema, value: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw unreadableEvent(title, problemsOf(parsed.error))
}

/** What a provider has answered. Throws payment_provider_unavailable. */
export const readProviderAnswer = <Schema extends z.ZodType>(title: string, schema: Schema, value: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw providerUnavailable(title, problemsOf(parsed.error))
}
