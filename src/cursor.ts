// Pagination cursors: opaque, authenticated, and bound to one list and its filters.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidField } from './validation-messages.ts'

const macBytes = 12

const unknownCursor = () =>
  invalidField('cursor', 'is not one of this list', { hint: 'take next_cursor of the page before, with the same filters' })

/** The list and its filters. */
export type CursorScope = readonly [list: string, ...filters: (string | undefined)[]]

export const createCursors = (secret: string) => {
  const macOf = (scope: CursorScope, position: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['cursor', scope.map((part) => part ?? null), position]))
      .digest()
      .subarray(0, macBytes)

  const write = (scope: CursorScope, position: readonly string[]): string => {
    const text = JSON.stringify(position)
    return Buffer.concat([macOf(scope, text), Buffer.from(text)]).toString('base64url')
  }

  return {
    /** The first `limit` items and the next cursor; `found` has one item more if there are more. */
    page: <Item>(scope: CursorScope, found: readonly Item[], limit: number, positionOf: (item: Item) => readonly string[]) => {
      const items = found.slice(0, limit)
      const last = items.at(-1)
      const has_more = found.length > items.length
      return { items, has_more, next_cursor: has_more && last !== undefined ? write(scope, positionOf(last)) : null }
    },

    /** Throws invalid_request for a cursor of another scope, or an invalid one. */
    read: (scope: CursorScope, cursor: string): string[] => {
      const bytes = /^[\w-]+$/.test(cursor) ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0)
      if (bytes.length <= macBytes) throw unknownCursor()
      const text = bytes.subarray(macBytes).toString()
      if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(scope, text))) throw unknownCursor()
      return JSON.parse(text) as string[]
    },
  }
}

export type Cursors = ReturnType<typeof createCursors>
