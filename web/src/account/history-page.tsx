// The history: every attempt with its result, and how far one is. Without one, the incident to begin with.

import type { Course } from '../../../src/contract/course.ts'
import type { EvaluationRecord } from '../../../src/contract/evaluation.ts'
import { timeToRepairMeaning } from '../../../src/contract/time-to-repair.ts'
import { client, readAll } from '../api.ts'
import { StartHere } from '../catalog/start-here.tsx'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { Failed, Loading } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { useRequest } from '../use-request.ts'
import { counted, exactDuration, moment } from '../words.ts'
import { type Attempt, attemptsOf, progressOf } from './attempts.ts'
import { OwnPage } from './own-page.tsx'
import { ProgressChart, summaryOf } from './progress-chart.tsx'

const AttemptRow = ({ attempt, title }: { readonly attempt: Attempt; readonly title: string }) => {
  const { best, evaluations, hints, isAssisted, secondsToRepair, lastAt, courseId } = attempt
  return (
    <tr>
      <th scope="row">
        <a href={pathTo('course', { courseId })}>{title}</a>
      </th>
      <td>{moment(lastAt)}</td>
      <td>
        <span class={best.passed ? 'outcome-held' : 'outcome-open'}>{best.passed ? 'Repaired' : 'Not repaired'}</span>
        {isAssisted ? <span class="tag tag-here">assisted</span> : null}
      </td>
      <td class="number">{best.score}</td>
      <td class="number">{secondsToRepair === null ? (best.passed ? 'not known' : '–') : exactDuration(secondsToRepair)}</td>
      <td class="number">{hints}</td>
      <td class="number">{evaluations}</td>
    </tr>
  )
}

const columns = ['Incident', 'Graded', 'Result', 'Points', 'Time to repair', 'Hints', 'Gradings']

const History = ({ courses, evaluations }: { readonly courses: readonly Course[]; readonly evaluations: readonly EvaluationRecord[] }) => {
  const attempts = attemptsOf(evaluations)
  if (attempts.length === 0) {
    return (
      <>
        <p>No attempt has been graded yet. What you repair, or try to, stands here: result, points, time and hints.</p>
        <StartHere courses={courses} solved={new Map()} />
      </>
    )
  }
  const titles = new Map(courses.map(({ id, title }) => [id, title]))
  const progress = progressOf(courses, evaluations)
  return (
    <>
      <section class="panel" aria-labelledby="progress">
        <h2 id="progress">Progress</h2>
        <p>{summaryOf(progress).short}</p>
        <ProgressChart progress={progress} />
      </section>
      <section class="panel" aria-labelledby="attempts">
        <h2 id="attempts">{counted(attempts.length, 'attempt')}</h2>
        <Table label="Attempts" columns={columns}>
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.sandboxId} attempt={attempt} title={titles.get(attempt.courseId) ?? attempt.courseId} />
          ))}
        </Table>
        <p class="muted small">
          {`Time to repair: ${timeToRepairMeaning}, as in the report. `}
          Assisted: the debrief had been read before. Hints do not change the points.
        </p>
      </section>
    </>
  )
}

const Read = () => {
  const { value, error, reload } = useRequest('history', async () => {
    const [courses, evaluations] = await Promise.all([
      readAll((query) => client.courses(query)),
      readAll((query) => client.evaluations(query)),
    ])
    return { courses, evaluations }
  })
  if (value !== undefined) return <History {...value} />
  return error === undefined ? <Loading what="your history" /> : <Failed error={error} retry={reload} />
}

export const HistoryPage = () => {
  useTitle('Your history')
  return (
    <OwnPage page="history" title="Your history">
      {() => <Read />}
    </OwnPage>
  )
}
