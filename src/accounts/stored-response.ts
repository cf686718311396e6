// A response as it is stored for a replay: without secrets (`token`, `terminal_url`), and with the list of sandboxes whose session
// ids it contained. At a replay, session ids are computed again for these sandboxes and for no others.

import { z } from 'zod'

export const StoredResponse = z.object({
  /** JSON, with null in place of session ids. */
  body: z.string(),
  /** The sandboxes whose session ids the caller was given. */
  sandboxes: z.array(z.string()),
})
export type StoredResponse = Readonly<z.infer<typeof StoredResponse>>

type SessionIdOf = (sandboxId: string) => string
type Json = Record<string, unknown>

const walk = (value: unknown, change: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => walk(part, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(change(value as Json)).map(([key, part]) => [key, walk(part, change)]))
}

/** Null when it is too large to be stored. */
export const toStored = (answer: unknown, sessionIdOf: SessionIdOf, mostBytes: number): StoredResponse | null => {
  const sandboxes = new Set<string>()
  const plain = walk(answer, ({ terminal_url: _, token: __, ...object }) => {
    if (!('session_id' in object)) return object
    const { id, session_id } = object
    if (typeof id === 'string' && session_id === sessionIdOf(id)) sandboxes.add(id)
    return { ...object, session_id: null }
  })
  const body = JSON.stringify(plain)
  return Buffer.byteLength(body) > mostBytes ? null : { body, sandboxes: [...sandboxes] }
}

export const fromStored = ({ body, sandboxes }: StoredResponse, sessionIdOf: SessionIdOf): unknown =>
  walk(JSON.parse(body), (object) => {
    const { id, session_id } = object
    return session_id === null && typeof id === 'string' && sandboxes.includes(id) ? { ...object, session_id: sessionIdOf(id) } : object
  })
