// Prometheus metrics: requests by route pattern, durations, slots and queue. Counting is cheap; the text is generated on request.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createCredentialGate } from '../accounts/credential-gate.ts'
import { hashSecret } from '../accounts/secrets.ts'
import { bearerIn } from '../accounts/token-format.ts'
import type { Capacity } from '../contract/capacity.ts'
import { LabError } from '../errors.ts'
import { type RateLimit, rateHeaders } from '../rate-limit.ts'
import type { AnsweredRequest } from '../request-log.ts'

const counterName = 'incident_lab_http_requests_total'
const histogramName = 'incident_lab_http_request_duration_seconds'
const bounds = [1, 5, 25, 100, 500, 2_500, 10_000, 60_000]

interface Tally {
  readonly labels: string
  count: number
  milliseconds: number
  /** The cumulative count of each histogram bucket. */
  readonly within: number[]
}

const createTallies = () => {
  const tallies = new Map<string, Tally>()
  return {
    add: ({ method, route, status, ms }: AnsweredRequest): void => {
      const key = `${status} ${method} ${route}`
      let tally = tallies.get(key)
      if (tally === undefined) {
        const labels = `method="${method}",route="${route}",status="${status}"`
        tally = { labels, count: 0, milliseconds: 0, within: bounds.map(() => 0) }
        tallies.set(key, tally)
      }
      tally.count += 1
      tally.milliseconds += ms
      for (let index = bounds.length - 1; index >= 0 && ms <= (bounds[index] as number); index -= 1) {
        tally.within[index] = (tally.within[index] as number) + 1
      }
    },

    write: (): string => {
      const all = [...tallies.values()]
      const buckets = all.flatMap(({ labels, count, milliseconds, within }) => [
        ...within.map((number, index) => `${histogramName}_bucket{${labels},le="${(bounds[index] as number) / 1000}"} ${number}`),
        `${histogramName}_bucket{${labels},le="+Inf"} ${count}`,
        `${histogramName}_sum{${labels}} ${milliseconds / 1000}`,
        `${histogramName}_count{${labels}} ${count}`,
      ])
      return [
        `# HELP ${counterName} Requests answered.`,
        `# TYPE ${counterName} counter`,
        ...all.map(({ labels, count }) => `${counterName}{${labels}} ${count}`),
        `# HELP ${histogramName} How long answers took.`,
        `# TYPE ${histogramName} histogram`,
        ...buckets,
        '',
      ].join('\n')
    },
  }
}

export const createMetrics = () => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const figures = { total: 'Slots for sandboxes.', in_use: 'Slots that are taken.', queued: 'Starts that wait for a slot.' }
  const gauges = Object.entries(figures).map(
    ([name, help]) => [name, new Gauge({ name: `incident_lab_sandboxes_${name}`, help, registers: [registry] })] as const,
  )
  const tallies = createTallies()

  return {
    type: registry.contentType,
    count: tallies.add,
    read: async ({ total, in_use, queue }: Capacity): Promise<string> => {
      const values: Record<string, number> = { total, in_use, queued: queue.length }
      for (const [name, gauge] of gauges) gauge.set(values[name] ?? 0)
      return `${await registry.metrics()}\n${tallies.write()}`
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>

export interface MetricsOptions {
  readonly capacity: () => Promise<Capacity>
  /** The bearer token for metrics. Without one they are not served, because a client address proves nothing behind a proxy. */
  readonly token: string | undefined
  readonly rateLimit: RateLimit | null
}

const needed = () => new LabError('unauthorized', 'the metrics need their own token', { hint: 'send it as Authorization: Bearer' })

export const serveMetrics = (app: FastifyInstance, metrics: Metrics, { capacity, token, rateLimit }: MetricsOptions): void => {
  if (token === undefined) return
  const expected = Buffer.from(hashSecret(token))
  const gate = createCredentialGate({
    find: async (hash) => timingSafeEqual(Buffer.from(hash), expected) || null,
    rateLimit,
    invalid: needed,
  })
  app.get('/metrics', { config: { mounted: true }, schema: { hide: true } as never }, async (request, reply) => {
    const given = bearerIn(request.headers.authorization ?? '')
    const checked = given === null ? gate.refuse(request.ip) : await gate.check(hashSecret(given), request.ip)
    if (checked.found === null) {
      reply.headers(rateHeaders(checked.allowance))
      throw checked.error
    }
    return reply.type(metrics.type).send(await metrics.read(await capacity()))
  })
}
