// Which bodies the REST API takes: JSON, read by the one reader. Everything else is refused before anybody looks at it.

import type { FastifyInstance } from 'fastify'
import { parseJson } from '../json-body.ts'

export const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json\s*(;.*)?$/i, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}
