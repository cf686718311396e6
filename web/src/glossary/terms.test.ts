import { describe, expect, it } from 'vitest'
import { matchingTerms, readGlossaryFilters, writeGlossaryFilters } from './terms.ts'

const term = (name: string, definition: string, domain = 'database') => ({ slug: name, term: name, definition, domain, see_also: [] })
const terms = [term('vacuum', 'cleans an index'), term('Index', 'finds rows'), term('cgroup', 'a limit', 'containers')]
const found = (query: string) => matchingTerms(terms, readGlossaryFilters(new URLSearchParams(query))).map((entry) => entry.term)

describe('terms', () => {
  it('are found by name first, then by what they mean, in any case', () => {
    expect(found('q=INDEX')).toEqual(['Index', 'vacuum'])
    expect(found('')).toEqual(['cgroup', 'Index', 'vacuum'])
    expect(found('domain=containers')).toEqual(['cgroup'])
    expect(found('q=rows&domain=containers')).toEqual([])
  })

  it('have their filters in the address', () => {
    expect(writeGlossaryFilters({ q: '', domain: '' })).toBe('')
    expect(readGlossaryFilters(new URLSearchParams(writeGlossaryFilters({ q: 'a&b', domain: 'cloud' })))).toEqual({
      q: 'a&b',
      domain: 'cloud',
    })
  })
})
