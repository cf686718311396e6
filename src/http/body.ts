// The REST API accepts JSON bodies only, parsed by json-body.ts. Other content types are refused without reading the body.

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
