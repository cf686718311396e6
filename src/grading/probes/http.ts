// Probe: the answer of an HTTP server.

import { z } from 'zod'
import type { LeafProbe } from '../../catalog/probe-file.ts'
import { differs, holds, timedOut } from '../observation.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { http: unknown }>['http']

const Answer = z.union([
  z.object({ error: z.string(), ms: z.number() }),
  z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() }),
])

export const run: RunProbe<Spec> = async ({ expect, ...request }, { observer }) => {
  const answer = await observer.ask({ ask: 'http', ...request }, Answer, request.timeout_ms + 5_000)
  const what = `${request.method} ${request.url.replace(/\?.*/, '')}`
  if ('error' in answer) return (answer.ms < request.timeout_ms ? differs : timedOut)(`${what}: ${answer.error}`)
  if (!expect.status.includes(answer.status)) return differs(`${what} answered ${answer.status}`)
  if ((expect.body ?? []).some((text) => !answer.body.includes(text)))
    return differs(`${what} answered ${answer.status} without the expected text in its body`)
  if ((expect.body_lacks ?? []).some((text) => answer.body.includes(text)))
    return differs(`${what} answered ${answer.status} with text in its body that must not be there`)
  const wrong = Object.entries(expect.headers ?? {}).find(([name, text]) => !answer.headers[name.toLowerCase()]?.includes(text))
  if (wrong !== undefined) return differs(`${what} answered without the expected ${wrong[0]} header`)
  return holds(`${what} answered ${answer.status}`)
}
