// Filters and paginates the catalog and the glossary.

import type { CourseList, CourseListQuery } from '../contract/course.ts'
import type { GlossaryList, GlossaryQuery } from '../contract/glossary.ts'
import type { CursorScope, Cursors } from '../cursor.ts'
import type { Catalog } from './catalog.ts'
import type { Content } from './content.ts'

interface Page<Item> {
  readonly items: Item[]
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly total_count: number
}

/** `matching` is sorted by `keyOf`. Throws invalid_request for a cursor of another list. */
const pageOf = <Item>(
  matching: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  cursors: Cursors,
  scope: CursorScope,
): Page<Item> => {
  const after = cursor === undefined ? undefined : cursors.read(scope, cursor)[0]
  const rest = after === undefined ? matching : matching.filter((item) => keyOf(item) > after)
  return { ...cursors.page(scope, rest, limit, (item) => [keyOf(item)]), total_count: matching.length }
}

/** Each throws invalid_request for a cursor that is not of its list and its filters. */
export const createPages = ({ scenarios }: Catalog, { glossary }: Content, cursors: Cursors) => ({
  courses: (query: CourseListQuery): CourseList => {
    const { tier, domain } = query
    const matching = scenarios
      .map(({ course }) => course)
      .filter((course) => (tier ?? course.tier) === course.tier && (domain ?? course.domain) === course.domain)
    return pageOf(matching, ({ id }) => id, query, cursors, ['courses', tier, domain])
  },

  glossary: (query: GlossaryQuery): GlossaryList => {
    const words = query.q?.toLowerCase()
    const matching = glossary
      .filter(({ domain }) => (query.domain ?? domain) === domain)
      .filter(({ term, definition }) => words === undefined || `${term}\n${definition}`.toLowerCase().includes(words))
    return pageOf(matching, ({ slug }) => slug, query, cursors, ['glossary', words, query.domain])
  },
})

export type Pages = ReturnType<typeof createPages>
