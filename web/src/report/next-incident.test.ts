// What is recommended after an attempt.

import { expect, it } from 'vitest'
import type { Course } from '../../../src/contract/course.ts'
import { nextIncident } from './next-incident.ts'

const course = (id: string, domain: string, tier: Course['tier'], kind: Course['kind'] = 'incident') =>
  ({ id, domain, tier, kind }) as Course
const all = [
  course('web-1', 'web-server', 'beginner'),
  course('web-2', 'web-server', 'intermediate'),
  course('web-4', 'web-server', 'expert'),
  course('db-1', 'database', 'beginner'),
  course('way', 'web-server', 'intermediate', 'track'),
]
const next = (tried: string, ...solved: readonly string[]) =>
  nextIncident(all, all.find(({ id }) => id === tried) ?? { id: tried }, new Set(solved))?.course.id

it('is the next tier of the same domain, then what is left of it, then the easiest, and never the same', () => {
  expect(next('web-1')).toBe('web-2')
  expect(next('web-1', 'web-2')).toBe('web-4')
  expect(next('web-4')).toBe('web-1')
  expect(next('web-4', 'web-1', 'web-2')).toBe('db-1')
  expect(next('gone')).toBe('web-1')
  expect(next('db-1', 'web-1', 'web-2', 'web-4')).toBeUndefined()
})
