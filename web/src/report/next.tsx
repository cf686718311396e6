// The next recommended incident, for whoever is signed in.

import type { AttemptReport } from '../../../src/contract/report.ts'
import { client, readAll } from '../api.ts'
import { useSolved } from '../catalog/solved.ts'
import { pathTo } from '../route.ts'
import { useRequest } from '../use-request.ts'
import { nextIncident } from './next-incident.ts'

export const Next = ({ course }: { readonly course: Pick<AttemptReport['course'], 'id' | 'domain' | 'tier'> }) => {
  const solved = useSolved()
  const courses = useRequest('courses', () => readAll((query) => client.courses(query)))
  if (solved === undefined) return null
  const next = nextIncident(courses.value ?? [], course, new Set(solved.keys()))
  return next === undefined ? null : (
    <p class="next-incident">
      {'Next: '}
      <a href={pathTo('course', { courseId: next.course.id })}>{next.course.title}</a>
      <span class="muted small">{` (${next.why})`}</span>
    </p>
  )
}
