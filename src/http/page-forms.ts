// What pages with forms share: the id in their path, the person at the browser, and the fields of a form.

import type { FastifyRequest } from 'fastify'
import type { Account } from '../accounts/caller.ts'
import { lookupId } from '../contract/names.ts'
import { LabError } from '../errors.ts'
import { browserSessionOf, callerOf } from './authentication.ts'

/** A parameter of the path. What no id can be, is not there. */
export const idIn = ({ params }: FastifyRequest, name: string): string => {
  const id = lookupId.safeParse((params as Readonly<Record<string, unknown>>)[name])
  if (id.success) return id.data
  throw new LabError('not_found', 'there is no such page')
}

/** The person at the browser. Programs with a token do not pay, and do not see invoices: throws forbidden. */
export const personOf = (request: FastifyRequest): Account => {
  const caller = callerOf(request)
  browserSessionOf(request, 'a personal access token cannot open pages where people pay')
  return caller
}

/** The fields of the form that was sent. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string | undefined>> =>
  (request.body ?? {}) as Readonly<Record<string, string | undefined>>
