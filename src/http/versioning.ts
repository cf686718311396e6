// API versions: reads the API-Version header, and announces deprecated routes.

import type { FastifyInstance } from 'fastify'
import { apiVersions } from '../contract/api-version.ts'
import { LabError } from '../errors.ts'

export interface Deprecation {
  readonly method: string
  /** The pattern of the route, below the prefix: /api/v1/courses/:courseId */
  readonly route: string
  readonly deprecatedAt: Date
  /** When it will be removed; at least twelve months after the deprecation. */
  readonly sunsetAt: Date
  /** Where the change is explained, and what to use. */
  readonly documentation: string
  readonly successor?: string
}

/** All deprecated routes. */
export const deprecations: readonly Deprecation[] = []

const noticeMonths = 12

const refuseShortNotice = ({ method, route, deprecatedAt, sunsetAt }: Deprecation): void => {
  const earliest = new Date(deprecatedAt)
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths)
  if (sunsetAt < earliest) throw new Error(`${method} ${route} would go before ${noticeMonths} months are over`)
}

const headersOf = ({ deprecatedAt, sunsetAt, documentation, successor }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(deprecatedAt.getTime() / 1000)}`,
  sunset: sunsetAt.toUTCString(),
  link: [
    `<${documentation}>; rel="deprecation"; type="text/html"`,
    `<${documentation}>; rel="sunset"; type="text/html"`,
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
  ].join(', '),
})

/** Adds API-Version, and Deprecation, Sunset and Link for deprecated routes, to every response. */
export const announceVersions = (app: FastifyInstance, table: readonly Deprecation[]): void => {
  for (const entry of table) refuseShortNotice(entry)
  const leaving = new Map(table.map((entry) => [`${entry.method} ${entry.route}`, headersOf(entry)]))
  app.addHook('onRequest', (request, reply, done) => {
    if (leaving.size > 0) reply.headers(leaving.get(`${request.method} ${request.routeOptions.url}`) ?? {})
    reply.header('api-version', apiVersions[0])
    done()
  })
}

/** Refuses unknown versions. */
export const applyVersions = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const wanted = request.headers['api-version']
    if (wanted === undefined || request.routeOptions.config.mounted === true) return done()
    if ((apiVersions as readonly unknown[]).includes(wanted)) {
      reply.header('api-version', wanted)
      return done()
    }
    done(
      new LabError('unsupported_api_version', 'there is no such API-Version', {
        hint: 'leave the header out for the newest version',
        details: { supported_versions: apiVersions, fields: [{ field: 'API-Version', problem: 'is not a version of the API' }] },
      }),
    )
  })
}
