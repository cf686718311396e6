// The one client of the web app: the API of the host that the page came from, as whoever is signed in to it.

import { createClient } from '../../src/client/client.ts'
import { isLabError } from '../../src/errors.ts'

export const unreachableHint = 'it is tried again when you press the button'

export const client = createClient({ rootUrl: '', unreachableHint })

export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}

/** What a person is told of an error. */
export const failureOf = (error: unknown): Failure =>
  isLabError(error)
    ? { code: error.code, message: error.message, hint: error.hint }
    : { code: 'internal', message: 'the page met an error of its own', hint: 'load it again' }

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}

const mostPages = 20

/** All items of a list that comes in pages. */
export const readAll = async <Item>(
  read: (query: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> => {
  const items: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page += 1) {
    const answer: Page<Item> = await read(cursor === null ? { limit: 100 } : { limit: 100, cursor })
    items.push(...answer.items)
    cursor = answer.next_cursor
    if (cursor === null) break
  }
  return items
}
