// A sandbox from its start to its end: start, exec, grade, hint, extend, restart, stop.

import type { FastifyRequest } from 'fastify'
import { Evaluation, type EvaluationResult, GivenUp, Hint } from '../../contract/evaluation.ts'
import { Job } from '../../contract/job.ts'
import {
  SandboxExecRequest,
  SandboxExecResponse,
  SandboxList,
  SandboxParams,
  SandboxRequest,
  SandboxRestartRequest,
  SandboxSession,
  SandboxStartRequest,
} from '../../contract/sandbox.ts'
import type { Started } from '../../sandboxes/start/starts.ts'
import type { Routes } from '../app.ts'
import { browserSessionOf, callerOf, labCallerOf } from '../authentication.ts'
import { currentBatch } from '../batch-scope.ts'
import { operation } from '../operation.ts'

const answerTo = (started: Started) =>
  'session' in started ? ({ status: 200, body: started.session } as const) : ({ status: 202, body: started.job } as const)

export const routes: Routes = (app, { access, debriefs, evaluations, hints, sandboxes, starts }) => {
  const about = { tag: 'Sandboxes', access: 'account' } as const
  /** The token of the lab is enough. */
  const inLab = { ...about, access: 'lab' } as const
  const held = (request: FastifyRequest & { readonly body: { readonly session_id: string } }) =>
    access.held(labCallerOf(request), request.body.session_id)

  const withDebrief = async (result: EvaluationResult): Promise<Evaluation> => ({ ...result, ...(await debriefs.of(result.evaluation_id)) })

  const start = operation(
    {
      ...about,
      id: 'startSandbox',
      summary: 'Start a sandbox',
      description:
        'Answers 200 once the sandbox runs. Answers 202 with a job when `async` is set, when it has to queue, when it is a large cluster, ' +
        'and when it is not ready within `start_wait_seconds` of the limits (30, unless set otherwise): poll the job at `status_url`. ' +
        'Answers 409 `sandbox_not_running` when it was stopped before it was ready. `sandbox_limit_reached` has no `Retry-After`: stop one ' +
        'of `details.sandboxes`, or cancel one of `details.jobs`. `plan_required`: the course belongs to a plan, or every start here needs a ' +
        'plan or a credit.',
      rate: 'start',
      errors: [
        'not_found',
        'course_not_startable',
        'account_required',
        'plan_required',
        'course_unavailable',
        'forbidden',
        'sandbox_not_running',
        'sandbox_limit_reached',
        'capacity_exhausted',
        'sandbox_start_failed',
        'engine_unavailable',
      ],
      recover: async (requestId) => {
        const started = await starts.recover(requestId)
        return started === null ? null : answerTo(started)
      },
    },
    { body: SandboxStartRequest, response: { 200: SandboxSession, 202: Job } },
  )
  app.post('/sandbox/start', start, async (request, reply) => {
    const origin = { requestId: request.requestId, batchId: currentBatch() }
    const { status, body } = answerTo(await starts.start(callerOf(request), request.body, origin))
    return reply.code(status).send(body)
  })

  const exec = operation(
    {
      ...inLab,
      id: 'execInSandbox',
      summary: 'Run a command',
      description:
        'Runs it as root with `sh -c`. Waits while the sandbox is being graded. A non-zero exit code and a timeout are results, not errors. ' +
        'A command that meets the end of the sandbox is 409 `sandbox_not_running`.',
      rate: 'exec',
      errors: ['forbidden', 'not_found', 'sandbox_not_running', 'container_not_running', 'engine_unavailable'],
      recover: 'unknown',
    },
    { body: SandboxExecRequest, response: { 200: SandboxExecResponse } },
  )
  app.post('/sandbox/exec', exec, async (request) => sandboxes.exec(await held(request), request.body))

  const evaluate = operation(
    {
      ...inLab,
      id: 'evaluateSandbox',
      summary: 'Grade the repair',
      description:
        'Seven steps against the live containers. Takes up to 45 seconds, beside the wait for load tests of others; the result is stored even if you disconnect. After a pass it comes with the debrief.',
      rate: 'write',
      errors: [
        'forbidden',
        'evaluations_exhausted',
        'not_found',
        'sandbox_not_running',
        'sandbox_outdated',
        'sandbox_limit_reached',
        'evaluation_too_soon',
        'grading_failed',
        'engine_unavailable',
      ],
      recover: async (requestId) => {
        const body = await evaluations.recover(requestId)
        return body === null ? null : { status: 200, body: await withDebrief(body) }
      },
    },
    { body: SandboxRequest, response: { 200: Evaluation } },
  )
  app.post('/sandbox/eval', evaluate, async (request) => {
    const caller = labCallerOf(request)
    const row = caller.kind === 'lab' ? await held(request) : await starts.attribute(await held(request), caller)
    return withDebrief(await evaluations.evaluate(row, { requestId: request.requestId }))
  })

  const hint = operation(
    {
      ...inLab,
      id: 'hintForSandbox',
      summary: 'Get the next hint',
      description:
        'General ones come first. Every later evaluation says how many hints were taken. Some hints are for a certain state of the sandbox: ' +
        '404 `no_hint_fits` when none of those that are left fits now, 404 `not_found` when all were given.',
      rate: 'write',
      errors: ['forbidden', 'not_found', 'no_hint_fits', 'sandbox_not_running', 'sandbox_outdated', 'engine_unavailable'],
      recover: 'unknown',
    },
    { body: SandboxRequest, response: { 200: Hint } },
  )
  app.post('/sandbox/hint', hint, async (request) => hints.give(await held(request)))

  const giveUp = operation(
    {
      ...about,
      id: 'giveUpSandbox',
      summary: 'Give up and read the debrief',
      description:
        'For people: needs a signed-in browser session, so a request with a token is refused with 403. All later evaluations of this course, ' +
        'in other sandboxes too, say `assisted: true`. The sandbox goes on; one that has ended can be given up, too. Whoever has passed ' +
        'gives up nothing. Asking again answers the same.',
      rate: 'write',
      errors: ['forbidden', 'not_found'],
      recover: 'again',
    },
    { body: SandboxRequest, response: { 200: GivenUp } },
  )
  app.post('/sandbox/give-up', giveUp, async (request) => {
    browserSessionOf(request, 'a personal access token cannot give up: the debrief is for people')
    const { id } = await held(request)
    return debriefs.giveUp(await access.ownedById(callerOf(request), id))
  })

  const extend = operation(
    {
      ...inLab,
      id: 'extendSandbox',
      summary: 'Extend a sandbox',
      description:
        'By `sandbox_extend_minutes` of the public settings, up to a lifetime of `sandbox_longest_minutes`, or more with a plan.',
      rate: 'write',
      errors: ['forbidden', 'lifetime_exhausted', 'not_found', 'sandbox_not_running'],
      recover: 'unknown',
    },
    { body: SandboxRequest, response: { 200: SandboxSession } },
  )
  app.post('/sandbox/extend', extend, async (request) => sandboxes.extend(await held(request)))

  const restart = operation(
    {
      ...inLab,
      id: 'restartContainer',
      summary: 'Restart a container',
      description:
        'Like a power cycle: all processes end, files stay, and the main command runs again. Works also when the main command has ended. ' +
        'Waits while the sandbox is being graded.',
      rate: 'write',
      errors: ['forbidden', 'not_found', 'sandbox_not_running', 'engine_unavailable'],
      recover: 'again',
    },
    { body: SandboxRestartRequest, response: { 200: SandboxSession } },
  )
  app.post('/sandbox/restart', restart, async (request) => sandboxes.restart(await held(request), request.body.container))

  const stop = operation(
    {
      ...inLab,
      id: 'stopSandbox',
      summary: 'Stop a sandbox',
      description: 'Removes the sandbox and everything in it. Stopping a stopped sandbox changes nothing.',
      rate: 'write',
      errors: ['forbidden', 'not_found', 'sandbox_not_running'],
      recover: 'again',
    },
    { body: SandboxRequest, response: { 200: SandboxSession } },
  )
  app.post('/sandbox/stop', stop, async (request) => sandboxes.stop(await held(request)))

  const list = operation(
    { ...about, id: 'listSandboxes', summary: 'List your sandboxes', description: 'All that have not ended.' },
    { response: { 200: SandboxList } },
  )
  app.get('/sandbox', list, async (request) => ({ items: await sandboxes.list(callerOf(request)) }))

  const read = operation(
    {
      ...inLab,
      id: 'readSandbox',
      summary: 'Read a sandbox',
      description: 'By its public id, even after it has ended.',
      errors: ['forbidden', 'not_found'],
    },
    { params: SandboxParams, response: { 200: SandboxSession } },
  )
  app.get('/sandbox/:sandboxId', read, (request) => sandboxes.read(labCallerOf(request), request.params.sandboxId))
}
