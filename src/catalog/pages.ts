// Filters and paginates the catalog and the glossary.

import { didYouMean } from '../closest-word.ts'
import { type Course, type CourseList, type CourseListQuery, Tier } from '../contract/course.ts'
import type { GlossaryList, GlossaryQuery } from '../contract/glossary.ts'
import type { CursorScope, Cursors } from '../cursor.ts'
import { invalidField } from '../validation-messages.ts'
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

const domainsOf = (items: readonly { readonly domain: string }[]): string[] => [...new Set(items.map(({ domain }) => domain))].sort()

/** The domain of the list that was meant, whatever its case. Throws invalid_request with those that there are. */
const domainIn = (known: readonly string[], wanted: string | undefined): string | undefined => {
  if (wanted === undefined) return undefined
  const word = wanted.toLowerCase()
  const found = known.find((domain) => domain.toLowerCase() === word)
  if (found !== undefined) return found
  throw invalidField('domain', `must be one of ${known.join(', ')}${didYouMean(word, known)}`, { details: { known_domains: known } })
}

const matches = ({ tier, domain }: Course, wanted: Pick<CourseListQuery, 'tier' | 'domain'>): boolean =>
  (wanted.tier ?? tier) === tier && (wanted.domain ?? domain) === domain

/** Each throws invalid_request for a domain that its list does not have, and for a cursor that is not of its list and its filters. */
export const createPages = ({ scenarios }: Catalog, { glossary }: Content, cursors: Cursors) => {
  const courses = scenarios.map(({ course }) => course)
  const courseDomains = domainsOf(courses)
  const glossaryDomains = domainsOf(glossary)

  /** A filter does not narrow its own choices. */
  const facetsFor = ({ tier, domain }: Pick<CourseListQuery, 'tier' | 'domain'>): CourseList['facets'] => {
    const count = (wanted: Pick<CourseListQuery, 'tier' | 'domain'>) => courses.filter((course) => matches(course, wanted)).length
    return {
      tiers: Tier.options.map((name) => ({ name, count: count({ tier: name, domain }) })),
      domains: courseDomains.map((name) => ({ name, count: count({ tier, domain: name }) })),
    }
  }

  return {
    courses: (query: CourseListQuery): CourseList => {
      const wanted = { tier: query.tier, domain: domainIn(courseDomains, query.domain) }
      const matching = courses.filter((course) => matches(course, wanted))
      const page = pageOf(matching, ({ id }) => id, query, cursors, ['courses', wanted.tier, wanted.domain])
      return { ...page, facets: facetsFor(wanted) }
    },

    glossary: (query: GlossaryQuery): GlossaryList => {
      const words = query.q?.toLowerCase()
      const wanted = domainIn(glossaryDomains, query.domain)
      const matching = glossary
        .filter(({ domain }) => (wanted ?? domain) === domain)
        .filter(({ term, definition }) => words === undefined || `${term}\n${definition}`.toLowerCase().includes(words))
      return pageOf(matching, ({ slug }) => slug, query, cursors, ['glossary', words, wanted])
    },
  }
}

export type Pages = ReturnType<typeof createPages>
