import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { announceVersions, type Deprecation, deprecations } from './versioning.ts'

const row: Deprecation = {
  method: 'GET',
  route: '/api/v1/old/:id',
  deprecatedAt: new Date('2026-11-15T00:00:00Z'),
  sunsetAt: new Date('2027-11-15T00:00:00Z'),
  documentation: 'https://lab.example/docs#old',
  successor: 'https://lab.example/api/v1/new',
}

const serve = (table: readonly Deprecation[]) => {
  const app = Fastify()
  announceVersions(app, table)
  app.get('/api/v1/old/:id', async () => ({}))
  app.delete('/api/v1/old/:id', async () => ({}))
  app.get('/api/v1/new', async () => ({}))
  return app
}

describe('a route on its way out', () => {
  it('says since when, until when, why and what instead', async () => {
    const { headers } = await serve([row]).inject('/api/v1/old/7')
    expect(headers).toMatchObject({ deprecation: '@1794700800', sunset: 'Mon, 15 Nov 2027 00:00:00 GMT' })
    expect(headers.link).toBe(
      '<https://lab.example/docs#old>; rel="deprecation"; type="text/html", <https://lab.example/docs#old>; rel="sunset"; type="text/html", ' +
        '<https://lab.example/api/v1/new>; rel="successor-version"',
    )
  })

  it('is that one only', async () => {
    const app = serve([row])
    for (const request of [{ url: '/api/v1/new' }, { method: 'DELETE' as const, url: '/api/v1/old/7' }]) {
      const { headers } = await app.inject(request)
      expect([headers.deprecation, headers.sunset, headers['api-version']]).toEqual([undefined, undefined, '2026-11-15'])
    }
  })

  it('gets twelve months, to the day', () => {
    expect(() => serve([{ ...row, sunsetAt: new Date('2027-11-14T23:59:59Z') }])).toThrow(
      'GET /api/v1/old/:id would go before 12 months are over',
    )
    expect(() => serve(deprecations)).not.toThrow()
  })
})
