import { describe, expect, it } from 'vitest'
import type { Course } from '../../../src/contract/course.ts'
import { nextCourse } from './start-here.tsx'

const course = (id: string, tier: Course['tier']) => ({ id, tier }) as Course
const courses = [course('a', 'expert'), course('b', 'beginner'), course('scenario-01', 'advanced'), course('c', 'beginner')]

describe('the course to begin with', () => {
  it('is the default one', () => {
    expect(nextCourse(courses, new Set())?.id).toBe('scenario-01')
  })

  it('is then the easiest that is not solved, in the order of the catalog', () => {
    expect(nextCourse(courses, new Set(['scenario-01']))?.id).toBe('b')
    expect(nextCourse(courses, new Set(['scenario-01', 'b', 'c']))?.id).toBe('a')
  })

  it('is none where everything is solved', () => {
    expect(nextCourse(courses, new Set(courses.map(({ id }) => id)))).toBeUndefined()
  })
})
