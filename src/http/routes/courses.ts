import { CourseDetail, CourseList, CourseListQuery, CourseParams } from '../../contract/course.ts'
import type { Routes } from '../app.ts'

export const routes: Routes = (app, { catalog }) => {
  app.get('/courses', { config: { public: true }, schema: { querystring: CourseListQuery, response: { 200: CourseList } } }, (request) =>
    Promise.resolve(catalog.list(request.query)),
  )

  app.get(
    '/courses/:courseId',
    { config: { public: true }, schema: { params: CourseParams, response: { 200: CourseDetail } } },
    (request) => Promise.resolve(catalog.find(request.params.courseId).detail),
  )
}
