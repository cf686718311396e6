import type { LeafProbe } from '../../catalog/probe-file.ts'
import type { Look } from '../observation.ts'

type Spec = Extract<LeafProbe, { tcp: unknown }>['tcp']

export const look: Look<Spec> = async ({ host, port, open }, { observer }) => {
  const answer = await observer.ask<{ open: boolean; error?: string }>({ ask: 'tcp', host, port }, 8_000)
  return { passed: answer.open === open, saw: `${host}:${port} is ${answer.open ? 'open' : `closed (${answer.error})`}` }
}
