// The one to begin with: the default course, or the easiest that the reader has not solved yet.

import { type Course, defaultCourseId, Tier } from '../../../src/contract/course.ts'
import { pathTo } from '../route.ts'
import { DomainIcon, Glyph } from '../ui/icons.tsx'
import { TierDots } from '../ui/tier.tsx'
import { domainName } from '../words.ts'
import { Minutes } from './course-card.tsx'
import type { Solved } from './solved.ts'

const tiers: readonly string[] = Tier.options

/** Undefined where everything is solved. */
export const nextCourse = (courses: readonly Course[], solved: ReadonlySet<string>): Course | undefined => {
  const open = courses.filter(({ id }) => !solved.has(id))
  const easiestFirst = open.toSorted((a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier))
  return open.find(({ id }) => id === defaultCourseId) ?? easiestFirst[0]
}

export const StartHere = ({ courses, solved }: { readonly courses: readonly Course[]; readonly solved: Solved }) => {
  const course = nextCourse(courses, new Set(solved.keys()))
  if (course === undefined) return null
  return (
    <section class="start-here" aria-labelledby="start-here">
      <div class="start-here-text">
        <p class="eyebrow">{solved.size === 0 ? 'Start here' : 'Next for you'}</p>
        <h2 id="start-here">{course.title}</h2>
        <p>{course.description}</p>
        <div class="facts-line">
          <span class="with-icon">
            <DomainIcon domain={course.domain} size={18} />
            {domainName(course.domain)}
          </span>
          <TierDots tier={course.tier} />
          <Minutes minutes={course.duration_minutes} />
        </div>
      </div>
      <a class="button button-primary button-large" href={pathTo('course', { courseId: course.id })}>
        Open the ticket
        <Glyph name="arrow" size={18} />
      </a>
    </section>
  )
}
