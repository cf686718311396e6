// The filters of the catalog: what they are in an address, and which courses they leave. Pure.

import type { Course } from '../../../src/contract/course.ts'

export const facets = ['tier', 'domain', 'kind', 'access'] as const
export type Facet = (typeof facets)[number]

export interface Filters {
  readonly q: string
  readonly tier: readonly string[]
  readonly domain: readonly string[]
  readonly kind: readonly string[]
  readonly access: readonly string[]
  /** Leaves out what the reader has solved. */
  readonly unsolved: boolean
}

export const noFilters: Filters = { q: '', tier: [], domain: [], kind: [], access: [], unsolved: false }

const longest = 100

export const readFilters = (query: URLSearchParams): Filters => ({
  q: (query.get('q') ?? '').slice(0, longest),
  tier: [...new Set(query.getAll('tier'))],
  domain: [...new Set(query.getAll('domain'))],
  kind: [...new Set(query.getAll('kind'))],
  access: [...new Set(query.getAll('access'))],
  unsolved: query.get('unsolved') === '1',
})

/** The query of an address, with its `?`; empty without filters. */
export const writeFilters = (filters: Filters): string => {
  const query = new URLSearchParams()
  if (filters.q !== '') query.set('q', filters.q)
  for (const facet of facets) for (const value of filters[facet]) query.append(facet, value)
  if (filters.unsolved) query.set('unsolved', '1')
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

export const toggled = (filters: Filters, facet: Facet, value: string): Filters => {
  const chosen = filters[facet]
  return { ...filters, [facet]: chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value] }
}

/** Every word has to be somewhere in what the catalog says of the course. */
const hasWords = (course: Course, q: string): boolean => {
  const text = [course.id, course.title, course.description, course.domain, course.tier, ...course.stack].join('\n').toLowerCase()
  const words = q.toLowerCase().split(/\s+/)
  return words.every((word) => text.includes(word))
}

const passes = (course: Course, filters: Filters, solved: ReadonlySet<string>, except?: Facet): boolean =>
  hasWords(course, filters.q) &&
  !(filters.unsolved && solved.has(course.id)) &&
  facets.every((facet) => facet === except || filters[facet].length === 0 || filters[facet].includes(course[facet]))

export const matching = (courses: readonly Course[], filters: Filters, solved: ReadonlySet<string>): Course[] =>
  courses.filter((course) => passes(course, filters, solved))

export interface Choice {
  readonly value: string
  /** The courses that it would show; a filter does not narrow its own choices. */
  readonly count: number
}

/** What a facet can be in this catalog, in the order of `known`, then by name. */
export const choicesOf = (
  courses: readonly Course[],
  facet: Facet,
  filters: Filters,
  solved: ReadonlySet<string>,
  known: readonly string[] = [],
): Choice[] => {
  const rank = (value: string) => (known.includes(value) ? known.indexOf(value) : known.length)
  const values = [...new Set(courses.map((course) => course[facet]))].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const others = courses.filter((course) => passes(course, filters, solved, facet))
  return values.map((value) => ({ value, count: others.filter((course) => course[facet] === value).length }))
}
