import { describe, expect, it } from 'vitest'
import type { Course } from '../../../src/contract/course.ts'
import { choicesOf, matching, noFilters, readFilters, toggled, writeFilters } from './filters.ts'

const course = (id: string, change: Partial<Course> = {}): Course => ({
  ...{ id, title: `Title of ${id}`, tier: 'beginner', domain: 'database', description: 'The shop answers 503.', duration_minutes: 30 },
  ...{ stack: ['postgresql'], kind: 'incident', access: 'free', requires_account: false, cluster: 'standard' },
  ...change,
})

const courses = [
  course('a'),
  course('b', { tier: 'expert', domain: 'cloud', stack: ['nginx', 'bind9'] }),
  course('c', { tier: 'advanced', access: 'pro', kind: 'foundation' }),
]
const nothing = new Set<string>()
const ids = (query: string, solved = nothing) => matching(courses, readFilters(new URLSearchParams(query)), solved).map(({ id }) => id)

describe('filters', () => {
  it('are kept in an address', () => {
    const filters = { ...noFilters, q: 'a b&c', tier: ['beginner', 'expert'], domain: ['web-server'], unsolved: true }
    expect(readFilters(new URLSearchParams(writeFilters(filters)))).toEqual(filters)
    expect(writeFilters(noFilters)).toBe('')
  })

  it('take an address that somebody wrote by hand', () => {
    const filters = readFilters(new URLSearchParams(`?tier=x&tier=x&unsolved=yes&other=1&q=${'y'.repeat(500)}`))
    expect(filters).toEqual({ ...noFilters, q: 'y'.repeat(100), tier: ['x'] })
  })

  it('leave what fits all of them', () => {
    expect(ids('')).toEqual(['a', 'b', 'c'])
    expect(ids('tier=expert&tier=advanced')).toEqual(['b', 'c'])
    expect(ids('tier=expert&domain=database')).toEqual([])
    expect(ids('access=pro')).toEqual(['c'])
    expect(ids('kind=foundation')).toEqual(['c'])
    expect(ids('q=NGINX')).toEqual(['b'])
    expect(ids('q=503+title+advanced')).toEqual(['c'])
    expect(ids('unsolved=1', new Set(['a']))).toEqual(['b', 'c'])
  })

  it('are switched on and off', () => {
    const on = toggled(noFilters, 'tier', 'expert')
    expect(on.tier).toEqual(['expert'])
    expect(toggled(on, 'tier', 'expert')).toEqual(noFilters)
  })

  it('count what each choice would show, in the order that is known', () => {
    const filters = readFilters(new URLSearchParams('tier=expert'))
    expect(choicesOf(courses, 'tier', filters, nothing, ['beginner', 'advanced', 'expert'])).toEqual([
      ...[{ value: 'beginner', count: 1 }],
      ...[{ value: 'advanced', count: 1 }],
      ...[{ value: 'expert', count: 1 }],
    ])
    expect(choicesOf(courses, 'domain', filters, nothing)).toEqual([
      { value: 'cloud', count: 1 },
      { value: 'database', count: 0 },
    ])
  })
})
