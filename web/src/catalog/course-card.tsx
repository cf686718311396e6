// A course in the catalog: what a customer feels, where, how hard, how long.

import type { Course } from '../../../src/contract/course.ts'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { pathTo } from '../route.ts'
import { DomainIcon, Glyph } from '../ui/icons.tsx'
import { TierDots } from '../ui/tier.tsx'
import { day, domainName, kindNames } from '../words.ts'

export const SolvedMark = ({ pass }: { readonly pass: EvaluationRecord }) => (
  <span class="solved" title={`Solved on ${day(pass.started_at)} with ${pass.score} points`}>
    <Glyph name="check" size={14} />
    {`Solved, ${day(pass.started_at)}`}
  </span>
)

export const Minutes = ({ minutes }: { readonly minutes: number }) => (
  <span class="minutes">
    <Glyph name="clock" size={14} />
    {`${minutes} min`}
  </span>
)

export const CourseCard = ({ course, pass }: { readonly course: Course; readonly pass: EvaluationRecord | undefined }) => (
  <li class="card">
    <div class="card-top">
      <DomainIcon domain={course.domain} />
      <span>{domainName(course.domain)}</span>
      {course.kind === 'incident' ? null : <span class="tag">{kindNames[course.kind]}</span>}
      {course.access === 'pro' ? <span class="tag">Pro</span> : null}
      {pass === undefined ? null : <SolvedMark pass={pass} />}
    </div>
    <h3>
      <a class="card-link" href={pathTo('course', { courseId: course.id })}>
        {course.title}
      </a>
    </h3>
    <p class="card-text">{course.description}</p>
    <p class="card-stack">{course.stack.join(' · ')}</p>
    <div class="card-foot">
      <TierDots tier={course.tier} />
      <Minutes minutes={course.duration_minutes} />
    </div>
  </li>
)
