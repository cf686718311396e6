// A response as it is stored for a replay: without secrets, and with the list of sandboxes whose session ids it contained. At a replay,
// session ids are computed again for these sandboxes and for no others, and each has the status that it has by then.

import { z } from 'zod'
import type { SandboxSession } from '../contract/sandbox.ts'

export const StoredResponse = z.object({
  /** JSON, with null in place of session ids. */
  body: z.string(),
  /** The sandboxes whose session ids the caller was given. */
  sandboxes: z.array(z.string()),
})
export type StoredResponse = Readonly<z.infer<typeof StoredResponse>>

type SessionIdOf = (sandboxId: string) => string
type Json = Record<string, unknown>

/** How a sandbox is at the time of a replay. */
export type PresentState = Pick<SandboxSession, 'status' | 'termination_reason' | 'terminal_url'>

const walk = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => walk(part, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(change(value as Json)).map(([key, part]) => [key, walk(part, change)]))
}

/** What opens something, beside session ids. */
const secretFields = new Set(['terminal_url', 'token', 'ticket', 'invitation_url', 'share_url'])

/** Null when it is too large to be stored. */
export const toStored = (answer: unknown, sessionIdOf: SessionIdOf, mostBytes: number): StoredResponse | null => {
  const sandboxes = new Set<string>()
  const plain = walk(answer, (whole) => {
    const object = Object.fromEntries(Object.entries(whole).filter(([name]) => !secretFields.has(name)))
    if (!('session_id' in object)) return object
    const { id, session_id } = object as Json
    if (typeof id === 'string' && session_id === sessionIdOf(id)) sandboxes.add(id)
    return { ...object, session_id: null }
  })
  const body = JSON.stringify(plain)
  return Buffer.byteLength(body) > mostBytes ? null : { body, sandboxes: [...sandboxes] }
}

/** A sandbox of which nothing is known any more keeps the status that it had. */
export const fromStored = (
  { body, sandboxes }: StoredResponse,
  sessionIdOf: SessionIdOf,
  states: ReadonlyMap<string, PresentState> = new Map(),
): unknown =>
  walk(JSON.parse(body), (object) => {
    const { id, session_id } = object
    if (session_id !== null || typeof id !== 'string' || !sandboxes.includes(id)) return object
    return { ...object, session_id: sessionIdOf(id), ...states.get(id) }
  })

/** The same response with the id of the present request in its errors, those of batch items included. */
export const withRequestId = (answer: unknown, requestId: string): unknown =>
  walk(answer, (object) => {
    const isError = ['code', 'message', 'request_id'].every((name) => typeof object[name] === 'string')
    return isError ? { ...object, request_id: requestId } : object
  })
