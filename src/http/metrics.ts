// What Prometheus reads: requests by route, and how full the house is. Route patterns only, never an address.

import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Capacity } from '../contract/capacity.ts'

/** Made once for each key; the keys are routes and statuses, so there are few. */
const remembered = <T>(make: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

export const measureRequests = (app: FastifyInstance, capacity: () => Promise<Capacity>): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({ name: 'incident_lab_http_requests_total', help: 'Requests answered.', labelNames, registers: [registry] })
  const durations = new Histogram({
    name: 'incident_lab_http_request_duration_seconds',
    help: 'How long answers took.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  })
  const figures = {
    total: 'Places for sandboxes.',
    in_use: 'Places that are taken.',
    queued: 'Starts that wait for a place.',
  }
  const gauges = Object.entries(figures).map(
    ([name, help]) => [name, new Gauge({ name: `incident_lab_sandboxes_${name}`, help, registers: [registry] })] as const,
  )
  const countOf = remembered((key) => {
    const [method = '', route = '', status = ''] = key.split(' ')
    return requests.labels({ method, route, status })
  })
  const durationOf = remembered((route) => durations.labels({ route }))
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)'
    countOf(`${request.method} ${route} ${reply.statusCode}`).inc()
    durationOf(route).observe(reply.elapsedTime / 1000)
    done()
  })
  app.get('/metrics', { config: { public: true }, schema: { hide: true } as never }, async (_request, reply) => {
    const { total, in_use, queue } = await capacity()
    const values: Record<string, number> = { total, in_use, queued: queue.length }
    for (const [name, gauge] of gauges) gauge.set(values[name] ?? 0)
    return reply.type(registry.contentType).send(await registry.metrics())
  })
  return registry
}
