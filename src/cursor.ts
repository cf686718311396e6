// Places in a list, handed to callers and taken back: opaque, bound to their list and its filters, and tamper-proof.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { LabError } from './errors.ts'

const macBytes = 12

const unknownCursor = () =>
  new LabError('invalid_request', 'cursor: is not one of this list', { hint: 'take next_cursor of the page before, with the same filters' })

/** Which list, and what it was narrowed to. */
export type CursorScope = readonly [list: string, ...filters: (string | undefined)[]]

export const createCursors = (secret: string) => {
  const macOf = (scope: CursorScope, place: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['cursor', scope.map((part) => part ?? null), place]))
      .digest()
      .subarray(0, macBytes)

  return {
    write: (scope: CursorScope, place: readonly string[]): string => {
      const text = JSON.stringify(place)
      return Buffer.concat([macOf(scope, text), Buffer.from(text)]).toString('base64url')
    },

    /** Throws invalid_request for anything that was not written here for this scope. */
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
