import { describe, expect, it } from 'vitest'
import { pathTo, routeOf } from './route.ts'

describe('an address', () => {
  it.each([
    ['/', 'catalog', {}],
    ['/courses/scenario-01', 'course', { courseId: 'scenario-01' }],
    ['/courses/scenario-01/', 'course', { courseId: 'scenario-01' }],
    ['/courses/a%2Fb', 'course', { courseId: 'a/b' }],
    ['/glossary', 'glossary', {}],
    ['/labs/k3v9', 'lab', { sandboxId: 'k3v9' }],
  ])('%s is a page', (path, page, params) => {
    expect(routeOf(path)).toEqual({ page, params })
  })

  it.each(['/courses', '/courses//', '/courses/%', '/nothing', '/glossary/more', '/docs', ''])('%s is none', (path) => {
    expect(routeOf(path)).toBeNull()
  })

  it('of a page is found again', () => {
    const path = pathTo('course', { courseId: 'a/b ?#' })
    expect(routeOf(path)?.params).toEqual({ courseId: 'a/b ?#' })
  })
})
