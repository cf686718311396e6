// The report of an attempt: what an interviewer or a team lead keeps. It prints on one page.

import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { stepWeights } from '../../../src/contract/evaluation.ts'
import type { AttemptReport } from '../../../src/contract/report.ts'
import { stepTexts } from '../course/seven-steps.tsx'
import { standingWords, stepViews } from '../lab/step-views.ts'
import { StepMark } from '../lab/steps-strip.tsx'
import { type PageProps, useTitle } from '../page.ts'
import { ownSource, type Source, sharedSource } from '../replay/source.ts'
import { pathTo } from '../route.ts'
import '../styles/report.css'
import { Markdown } from '../ui/markdown.tsx'
import { Loading } from '../ui/states.tsx'
import { useRequest } from '../use-request.ts'
import { clockTime, counted, day, domainName, duration, tierName } from '../words.ts'
import { notableEvaluations, outcomeWords, timeWords } from './attempt-words.ts'
import { Commands } from './commands.tsx'
import { Next } from './next.tsx'
import { OwnOrSignIn } from './own-or-sign-in.tsx'
import { SharePanel } from './share-panel.tsx'
import { isSwitchedOff, SourceFailed } from './source-failed.tsx'

const Facts = ({ report }: { readonly report: AttemptReport }) => {
  const { course, name, started_at, ended_at, evaluations, hints } = report
  const facts: readonly (readonly [string, string])[] = [
    ['Who', name ?? 'not known'],
    ['When', `${day(started_at)}, ${clockTime(started_at)}${ended_at === null ? '' : ` to ${clockTime(ended_at)}`}`],
    ['Time to repair', `${timeWords(report)}${course.duration_minutes === undefined ? '' : `; usually ${course.duration_minutes} min`}`],
    ['Evaluations', String(evaluations.length)],
    [
      'Hints',
      hints.length === 0
        ? 'none'
        : `${hints.length}: ${hints.map(({ level, given_at }) => `hint ${level}${given_at === null ? '' : ` at ${clockTime(given_at)}`}`).join(', ')}`,
    ],
    ['Assisted', evaluations.some(({ assisted }) => assisted) || report.given_up_at !== null ? 'yes: the debrief was read before' : 'no'],
  ]
  return (
    <dl class="facts report-facts">
      {facts.map(([term, text]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

const Steps = ({ evaluation, title }: { readonly evaluation: EvaluationRecord; readonly title: string }) => (
  <section class="report-steps">
    <h2>{title}</h2>
    <p class="muted small">
      {[
        `Score ${evaluation.score} of 100`,
        `graded at ${clockTime(evaluation.started_at)} in ${duration(evaluation.duration_ms / 1000)}`,
        `${counted(evaluation.hints_used, 'hint')} taken before`,
        ...(evaluation.assisted ? ['assisted'] : []),
      ].join(' · ')}
    </p>
    <ol class="result-steps">
      {stepViews({ grading: null, evaluation }).map(({ name, standing, output }) => (
        <li key={name} class={`result-${standing}`}>
          <StepMark standing={standing} />
          <div>
            <strong>{stepTexts[name][0]}</strong>
            <span class="muted small">{standingWords[standing]}</span>
            {output === '' || standing === 'not_attempted' ? null : <p class="step-output">{output}</p>}
          </div>
          <span class="points">{stepWeights[name]}</span>
        </li>
      ))}
    </ol>
  </section>
)

const History = ({ evaluations }: { readonly evaluations: readonly EvaluationRecord[] }) =>
  evaluations.length < 2 ? null : (
    <p class="small">
      {`All evaluations: ${evaluations.map(({ score, started_at }) => `${clockTime(started_at)} ${score} points`).join(', ')}.`}
    </p>
  )

const Report = ({ source, report }: { readonly source: Source; readonly report: AttemptReport }) => {
  const { course, evaluations, debrief } = report
  const { last, best } = notableEvaluations(evaluations)
  return (
    <>
      <p class="report-outcome">
        <strong>{outcomeWords(report)}</strong>
      </p>
      <div class="report-ways no-print">
        <a class="button" href={source.replayPath}>
          Watch the replay
        </a>
        <button type="button" class="button" onClick={() => print()}>
          Print
        </button>
        {source.isShared || report.ended_at !== null ? null : <a href={pathTo('lab', { sandboxId: report.sandbox_id })}>Back to the lab</a>}
      </div>
      <Facts report={report} />
      {last === undefined ? (
        <p class="muted">It was not graded.</p>
      ) : (
        <Steps evaluation={last} title={best === undefined ? 'The seven steps' : 'The last evaluation'} />
      )}
      {best === undefined ? null : <Steps evaluation={best} title="The best evaluation" />}
      <History evaluations={evaluations} />
      <section>
        <h2>Commands</h2>
        <Commands source={source} report={report} />
      </section>
      {debrief === undefined ? null : (
        <section class="report-debrief">
          <h2>Debrief</h2>
          <Markdown text={debrief} />
        </section>
      )}
      {source.isShared ? null : (
        <>
          <div class="no-print">
            <Next course={course} />
          </div>
          <SharePanel sandboxId={report.sandbox_id} />
        </>
      )}
    </>
  )
}

const ReportOf = ({ source }: { readonly source: Source }) => {
  const { value, error, reload } = useRequest(`report ${source.key}`, source.report, source.checkSeconds)
  const report = isSwitchedOff(source, error) ? undefined : value
  const course = report?.course
  const title = course?.title ?? course?.id ?? 'Report'
  useTitle(`Report: ${title}`)
  return (
    <article class="report">
      <p class="eyebrow">Report of an attempt</p>
      <h1>{title}</h1>
      {course === undefined ? null : (
        <p class="muted">
          {[
            <span key="id" class="mono">
              {course.id}
            </span>,
            ...(course.domain === undefined ? [] : [` · ${domainName(course.domain)}`]),
            ...(course.tier === undefined ? [] : [` · ${tierName(course.tier)}`]),
          ]}
        </p>
      )}
      {report === undefined ? (
        error === undefined ? (
          <Loading what="the report" />
        ) : (
          <SourceFailed source={source} error={error} retry={reload} wasShown={value !== undefined} />
        )
      ) : (
        <Report source={source} report={report} />
      )}
    </article>
  )
}

export const ReportPage = ({ params, address }: PageProps) => (
  <OwnOrSignIn here={address.pathname}>
    <ReportOf source={ownSource(params['sandboxId'] ?? '')} />
  </OwnOrSignIn>
)

export const SharedReportPage = ({ address }: PageProps) => <ReportOf key={address.hash} source={sharedSource(address)} />
