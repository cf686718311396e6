import { Evaluation, EvaluationRequest, Hint } from '../../contract/evaluation.ts'
import {
  SandboxExecRequest,
  SandboxExecResponse,
  SandboxList,
  SandboxParams,
  SandboxSession,
  SandboxStartRequest,
  SandboxStopRequest,
} from '../../contract/sandbox.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../auth.ts'

export const routes: Routes = (app, { access, evaluations, sandboxes }) => {
  app.post('/sandbox/start', { schema: { body: SandboxStartRequest, response: { 200: SandboxSession } } }, (request) =>
    sandboxes.start(callerOf(request), request.body),
  )

  app.post('/sandbox/exec', { schema: { body: SandboxExecRequest, response: { 200: SandboxExecResponse } } }, async (request) =>
    sandboxes.exec(await access.owned(callerOf(request), request.body.session_id), request.body),
  )

  app.post('/sandbox/stop', { schema: { body: SandboxStopRequest, response: { 200: SandboxSession } } }, async (request) =>
    sandboxes.stop(await access.owned(callerOf(request), request.body.session_id)),
  )

  app.post('/sandbox/eval', { schema: { body: EvaluationRequest, response: { 200: Evaluation } } }, async (request) =>
    evaluations.evaluate(await access.owned(callerOf(request), request.body.session_id)),
  )

  app.post('/sandbox/hint', { schema: { body: EvaluationRequest, response: { 200: Hint } } }, async (request) =>
    evaluations.hint(await access.owned(callerOf(request), request.body.session_id)),
  )

  app.get('/sandbox', { schema: { response: { 200: SandboxList } } }, async (request) => ({
    items: await sandboxes.list(callerOf(request)),
  }))

  app.get('/sandbox/:id', { schema: { params: SandboxParams, response: { 200: SandboxSession } } }, (request) =>
    sandboxes.read(callerOf(request), request.params.id),
  )
}
