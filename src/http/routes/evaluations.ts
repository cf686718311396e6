// The evaluations of an account.

import { EvaluationDetail, EvaluationList, EvaluationParams, EvaluationQuery } from '../../contract/evaluation.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { debriefs, evaluations }) => {
  const list = operation(
    {
      id: 'listEvaluations',
      tag: 'Evaluations',
      summary: 'List your evaluations',
      description: 'Newest first, including those of sandboxes that have ended.',
      access: 'account',
    },
    { querystring: EvaluationQuery, response: { 200: EvaluationList } },
  )
  const read = operation(
    {
      id: 'readEvaluation',
      tag: 'Evaluations',
      summary: 'Read an evaluation',
      description: 'With the debrief of its course, if it passed or you gave up.',
      access: 'account',
      errors: ['not_found'],
    },
    { params: EvaluationParams, response: { 200: EvaluationDetail } },
  )
  app.get('/evaluations/:evaluationId', read, async (request) => {
    const record = await evaluations.read(callerOf(request), request.params.evaluationId)
    return { ...record, ...(await debriefs.of(record.id)) }
  })

  app.get('/evaluations', list, (request) => evaluations.list(callerOf(request), request.query))
}
