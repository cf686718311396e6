// Jobs: asynchronous starts.

import { Job, JobParams } from '../../contract/job.ts'
import type { Routes } from '../app.ts'
import { callerOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { jobs }) => {
  const about = { tag: 'Jobs', access: 'account' } as const
  const schema = { params: JobParams, response: { 200: Job } }

  const read = operation(
    {
      ...about,
      id: 'readJob',
      summary: 'Get a job',
      description: 'The progress of a start. Poll no faster than every `poll_after_seconds`. A succeeded job has the `session`.',
      errors: ['not_found'],
    },
    schema,
  )
  app.get('/jobs/:jobId', read, (request) => jobs.read(callerOf(request), request.params.jobId))

  const cancel = operation(
    {
      ...about,
      id: 'cancelJob',
      summary: 'Cancel a queued start',
      description: 'Cancelling a cancelled job changes nothing. A job in progress cannot be cancelled: stop its sandbox instead.',
      rate: 'write',
      errors: ['not_found', 'job_not_cancellable'],
      recover: 'again',
    },
    schema,
  )
  app.delete('/jobs/:jobId', cancel, (request) => jobs.cancel(callerOf(request), request.params.jobId))
}
