// The evaluations of an account.

import { EvaluationList, EvaluationQuery } from '../../contract/evaluation.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { evaluations }) => {
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
  app.get('/evaluations', list, (request) => evaluations.list(callerOf(request), request.query))
}
