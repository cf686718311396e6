// A course: the ticket, what it is about, its machines, how a repair is proven, and the way in.

import type { CourseDetail } from '../../../src/contract/course.ts'
import { client } from '../api.ts'
import { Minutes, SolvedMark } from '../catalog/course-card.tsx'
import { type Solved, useSolved } from '../catalog/solved.ts'
import { NotFoundPage } from '../not-found-page.tsx'
import { type PageProps, useTitle } from '../page.ts'
import { DomainIcon } from '../ui/icons.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { TierDots } from '../ui/tier.tsx'
import { useComplete, useRequest } from '../use-request.ts'
import { counted, domainName, kindNames } from '../words.ts'
import { SevenSteps } from './seven-steps.tsx'
import { type StartFacts, useStartFacts } from './start-facts.ts'
import { StartPanel } from './start-panel.tsx'
import { Ticket } from './ticket.tsx'
import { TopologyDrawing } from './topology.tsx'

const Facts = ({ course }: { readonly course: CourseDetail }) => (
  <dl class="facts">
    <dt>Machines</dt>
    <dd>{counted(course.topology.services.length, 'machine')}, you are root on each</dd>
    <dt>Stack</dt>
    <dd class="mono">{course.stack.join(' · ')}</dd>
    <dt>Hints</dt>
    <dd>{course.hints_available === 0 ? 'none' : `${course.hints_available}, from general to specific; they do not change the score`}</dd>
    <dt>Kind</dt>
    <dd>{kindNames[course.kind]}</dd>
    <dt>Name</dt>
    <dd class="mono">{course.id}</dd>
  </dl>
)

interface CourseProps {
  readonly course: CourseDetail
  readonly facts: StartFacts
  readonly solved: Solved | undefined
}

const Course = ({ course, facts, solved }: CourseProps) => {
  useTitle(course.title)
  const pass = solved?.get(course.id)
  return (
    <>
      <p class="crumbs">
        <a href="/">All incidents</a>
      </p>
      <h1>{course.title}</h1>
      <div class="facts-line">
        <a class="with-icon" href={`/?domain=${encodeURIComponent(course.domain)}`}>
          <DomainIcon domain={course.domain} size={18} />
          {domainName(course.domain)}
        </a>
        <TierDots tier={course.tier} />
        <Minutes minutes={course.duration_minutes} />
        {course.access === 'pro' ? <span class="tag">Pro</span> : null}
        {pass === undefined ? null : <SolvedMark pass={pass} />}
      </div>
      <div class="course">
        <StartPanel course={course} facts={facts} />
        <div class="course-main">
          <Ticket course={course} />
          <section class="panel" aria-labelledby="proof">
            <h2 id="proof">What proves the repair</h2>
            <SevenSteps />
          </section>
        </div>
        <div class="course-side">
          <section class="panel" aria-labelledby="machines">
            <h2 id="machines">Machines</h2>
            <TopologyDrawing topology={course.topology} />
          </section>
          <section class="panel" aria-labelledby="facts">
            <h2 id="facts">Facts</h2>
            <Facts course={course} />
          </section>
          <section class="panel" aria-labelledby="teaches">
            <h2 id="teaches">What it teaches</h2>
            <ul class="plain-list">
              {course.learning_objectives.map((objective) => (
                <li key={objective}>{objective}</li>
              ))}
            </ul>
          </section>
        </div>
      </div>
    </>
  )
}

export const CoursePage = ({ params }: PageProps) => {
  const id = params['courseId'] ?? ''
  const { value, error, reload } = useRequest(`course ${id}`, () => client.course(id))
  const facts = useStartFacts()
  const solved = useSolved()
  const isComplete = useComplete(facts.isPending || solved === undefined)
  if (value !== undefined && isComplete) return <Course course={value} facts={facts} solved={solved} />
  if (value !== undefined || error === undefined) return <Loading what="the incident" />
  // What cannot be the id of a course is no course either.
  return ['not_found', 'invalid_request'].includes(error.code) ? <NotFoundPage /> : <Failed error={error} retry={reload} />
}
