// How the service stands, on the wire: what it checks of itself, and how long starts take.

import { z } from 'zod'

export const SelfCheck = z.object({
  name: z
    .enum(['engine', 'store', 'disk_watch', 'isolation'])
    .describe('`isolation`: that nothing outside is reachable from inside a sandbox, by attacks on a sandbox of its own.'),
  passed: z.boolean().describe('Whether it answered, or held.'),
  checked_at: z.iso
    .datetime()
    .describe('When it was looked at: `isolation` before the server serves, the others at most some seconds ago.'),
})
export type SelfCheck = z.infer<typeof SelfCheck>

const Latency = z
  .object({
    count: z.int().describe('How many starts these numbers are of, at most 100.'),
    p50_ms: z.int().describe('Half of them took at most this long.'),
    p95_ms: z.int().describe('Nineteen of twenty took at most this long.'),
  })
  .nullable()

export const ServiceStatus = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('As `GET /health` says it.'),
    version: z.string().describe('Of the service itself.'),
    checks: z.array(SelfCheck).describe('What the service looks at to know how it stands.'),
    starts: z
      .object({
        warm: Latency.describe('Of sandboxes that were built before they were asked for. Null without one.'),
        cold: Latency.describe('Of sandboxes that were built for the caller. Null without one.'),
      })
      .describe('How long the latest starts on this server took, from a free slot to a running sandbox.'),
    since: z.iso.datetime().describe('When this server began to serve.'),
  })
  .meta({ id: 'ServiceStatus' })
export type ServiceStatus = z.infer<typeof ServiceStatus>
