// The seven steps with what each of them saw, the result, and where to go from there.

import { stepWeights } from '../../../src/contract/evaluation.ts'
import { client, readAll } from '../api.ts'
import { useSolved } from '../catalog/solved.ts'
import { nextCourse } from '../catalog/start-here.tsx'
import { stepTexts } from '../course/seven-steps.tsx'
import { pathTo } from '../route.ts'
import { useRequest } from '../use-request.ts'
import { clockTime, counted, duration } from '../words.ts'
import { isOver, type LabState } from './lab-state.ts'
import { type StepView, standingWords } from './step-views.ts'
import { StepMark } from './steps-strip.tsx'

const StepList = ({ views }: { readonly views: readonly StepView[] }) => (
  <ol class="result-steps">
    {views.map(({ name, standing, output }) => {
      const [title, text] = stepTexts[name]
      return (
        <li key={name} class={`result-${standing}`}>
          <StepMark standing={standing} />
          <div>
            <strong>{title}</strong>
            <span class="muted small">{standing === 'not_tried' ? text : standingWords[standing]}</span>
            {output === '' || standing === 'not_attempted' ? null : <p class="step-output">{output}</p>}
          </div>
          <span class="points">{stepWeights[name]}</span>
        </li>
      )
    })}
  </ol>
)

/** The easiest incident that is not solved yet, other than this one. */
const Next = ({ courseId }: { readonly courseId: string }) => {
  const solved = useSolved()
  const courses = useRequest('courses', () => readAll((query) => client.courses(query)))
  const next = nextCourse(courses.value ?? [], new Set([...solved.keys(), courseId]))
  return next === undefined ? null : (
    <p>
      {'Next: '}
      <a href={pathTo('course', { courseId: next.id })}>{next.title}</a>
    </p>
  )
}

interface ResultProps {
  readonly state: LabState
  readonly views: readonly StepView[]
  readonly hasDebrief: boolean
  readonly readDebrief: () => void
  /** Null for whoever has no account here: it is remembered there. */
  readonly giveUp: (() => void) | null
  readonly isGuest: boolean
  readonly stop: () => void
}

const Passed = ({ state, hasDebrief, isGuest, readDebrief, stop }: Omit<ResultProps, 'views' | 'giveUp'>) => (
  <div class="notice notice-recovered result-passed">
    <p>
      <strong>It is repaired: all seven steps hold.</strong>
      {state.sandbox === null || isOver(state) ? '' : ` The machines stay until ${clockTime(state.sandbox.expires_at)}, so look around.`}
    </p>
    <div class="result-ways">
      {hasDebrief ? (
        <button type="button" class="button button-primary" onClick={readDebrief}>
          Read the debrief
        </button>
      ) : null}
      {isOver(state) || isGuest ? null : (
        <button type="button" class="button" onClick={stop}>
          Stop the lab
        </button>
      )}
    </div>
    {state.sandbox === null ? null : <Next courseId={state.sandbox.course_id} />}
  </div>
)

export const Result = (props: ResultProps) => {
  const { state, views, hasDebrief, giveUp, readDebrief } = props
  const { grading, evaluation, sandbox } = state
  const shown = grading === null ? evaluation : null
  return (
    <>
      <h2>{shown === null ? 'The seven steps' : `Score ${shown.score} of 100`}</h2>
      {shown === null ? null : (
        <p class="muted small">
          {[
            `graded at ${clockTime(shown.started_at)} in ${duration(shown.duration_ms / 1000)}`,
            `${counted(shown.hints_used, 'hint')} taken`,
            ...(sandbox === null ? [] : [`${counted(sandbox.evaluations_left, 'evaluation')} left`]),
            ...(shown.assisted ? ['assisted: the debrief was read before'] : []),
          ].join(' · ')}
        </p>
      )}
      {shown?.passed === true ? <Passed {...props} /> : null}
      <StepList views={views} />
      {shown?.passed === true ? null : (
        <p>
          {hasDebrief ? (
            <button type="button" class="link-button" onClick={readDebrief}>
              Read the debrief
            </button>
          ) : giveUp === null ? null : (
            <button type="button" class="link-button" onClick={giveUp}>
              Give up and read the debrief
            </button>
          )}
        </p>
      )}
    </>
  )
}
