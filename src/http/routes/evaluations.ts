import { EvaluationList } from '../../contract/evaluation.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../auth.ts'

export const routes: Routes = (app, { evaluations }) => {
  app.get('/evaluations', { schema: { response: { 200: EvaluationList } } }, async (request) => ({
    items: await evaluations.list(callerOf(request)),
  }))
}
