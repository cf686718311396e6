// The seven steps with what each of them saw, the result, and where to go from there.

import type { CourseDetail } from '../../../src/contract/course.ts'
import { stepWeights } from '../../../src/contract/evaluation.ts'
import { stepTexts } from '../course/seven-steps.tsx'
import { Next } from '../report/next.tsx'
import { pathTo } from '../route.ts'
import { clockTime, counted, duration, exactDuration } from '../words.ts'
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

interface ResultProps {
  readonly state: LabState
  readonly views: readonly StepView[]
  readonly course: CourseDetail | undefined
  readonly hasDebrief: boolean
  readonly readDebrief: () => void
  /** Null for whoever has no account here: it is remembered there. */
  readonly giveUp: (() => void) | null
  readonly isGuest: boolean
  readonly stop: () => void
}

const Passed = ({ state, hasDebrief, isGuest, readDebrief, stop }: Omit<ResultProps, 'views' | 'giveUp' | 'course'>) => (
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
  </div>
)

/** What is left of the attempt, for its account, and where to go from it. */
const Left = ({ state, course, giveUp }: Pick<ResultProps, 'state' | 'course' | 'giveUp'>) => {
  const { sandbox } = state
  if (sandbox === null) return null
  const params = { sandboxId: sandbox.id }
  return (
    <div class="result-left">
      {giveUp === null ? null : (
        <p>
          <a class="button" href={pathTo('report', params)}>
            The report
          </a>{' '}
          <a class="button" href={pathTo('replay', params)}>
            Watch the replay
          </a>
        </p>
      )}
      <Next course={course ?? { id: sandbox.course_id }} />
    </div>
  )
}

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
            ...(sandbox?.seconds_to_repair === undefined ? [] : [`repaired in ${exactDuration(sandbox.seconds_to_repair)}`]),
            ...(sandbox === null ? [] : [`${counted(sandbox.evaluations_left, 'evaluation')} left`]),
            ...(shown.assisted ? ['assisted: the debrief was read before'] : []),
          ].join(' · ')}
        </p>
      )}
      {shown?.passed === true ? <Passed {...props} /> : null}
      {shown?.passed === true || isOver(state) ? <Left {...props} /> : null}
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
