// The headers of 202: where the job can be polled, and when. A replayed 202 passes here too.

import type { FastifyInstance } from 'fastify'
import { Job } from '../contract/job.ts'

const Accepted = Job.pick({ status_url: true, poll_after_seconds: true })

export const addJobHeaders = (app: FastifyInstance): void => {
  app.addHook('preSerialization', (_request, reply, payload, done) => {
    if (reply.statusCode === 202) {
      const { status_url, poll_after_seconds } = Accepted.parse(payload)
      reply.header('location', status_url).header('retry-after', poll_after_seconds)
    }
    done(null, payload)
  })
}
