// Which terms of the glossary fit, and the filters in an address. Pure.

import type { GlossaryEntry } from '../../../src/contract/glossary.ts'

export interface GlossaryFilters {
  readonly q: string
  /** Empty for all. */
  readonly domain: string
}

export const readGlossaryFilters = (query: URLSearchParams): GlossaryFilters => ({
  q: (query.get('q') ?? '').slice(0, 100),
  domain: query.get('domain') ?? '',
})

export const writeGlossaryFilters = ({ q, domain }: GlossaryFilters): string => {
  const query = new URLSearchParams({ ...(q === '' ? {} : { q }), ...(domain === '' ? {} : { domain }) }).toString()
  return query === '' ? '' : `?${query}`
}

/** By name; where words are searched, those that have them in the name come first. */
export const matchingTerms = (terms: readonly GlossaryEntry[], { q, domain }: GlossaryFilters): GlossaryEntry[] => {
  const words = q.toLowerCase().trim()
  const inName = ({ term }: GlossaryEntry) => term.toLowerCase().includes(words)
  return terms
    .filter((entry) => domain === '' || entry.domain === domain)
    .filter((entry) => inName(entry) || entry.definition.toLowerCase().includes(words))
    .toSorted((a, b) => Number(inName(b)) - Number(inName(a)) || a.term.localeCompare(b.term, 'en'))
}
