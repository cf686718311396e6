// Probe: whether a port can be connected to.

import { z } from 'zod'
import type { LeafProbe } from '../../catalog/probe-file.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { tcp: unknown }>['tcp']

const Answer = z.object({ open: z.boolean(), error: z.string().optional() })

export const run: RunProbe<Spec> = async ({ host, port, open }, { observer }) => {
  const answer = await observer.ask({ ask: 'tcp', host, port }, Answer, 8_000)
  return { passed: answer.open === open, saw: `${host}:${port} is ${answer.open ? 'open' : `closed (${answer.error})`}` }
}
