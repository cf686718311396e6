// The catalog of courses.

import { CourseDetail, CourseList, CourseListQuery, CourseParams } from '../../contract/course.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { catalog, pages }, cache) => {
  const about = { tag: 'Catalog', access: 'public' } as const

  const list = operation(
    {
      ...about,
      id: 'listCourses',
      summary: 'List courses',
      description: 'In the order of their ids, with the tiers and domains that there are. `ETag` and `If-None-Match` save the body.',
    },
    { querystring: CourseListQuery, response: { 200: CourseList } },
  )
  app.get('/courses', { ...list, ...cache.hooks }, async (request) => pages.courses(request.query))

  const read = operation(
    {
      ...about,
      id: 'readCourse',
      summary: 'Read a course',
      description: 'Topology, goals, the ticket and the symptom; never the cause.',
      errors: ['not_found'],
    },
    { params: CourseParams, response: { 200: CourseDetail } },
  )
  app.get('/courses/:courseId', { ...read, ...cache.hooks }, async (request) => catalog.find(request.params.courseId).detail)
}
