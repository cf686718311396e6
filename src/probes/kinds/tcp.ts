// Probe: whether a port can be connected to.

import { z } from 'zod'
import { port as portNumber, serviceName } from '../field-schemas.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  host: serviceName.describe('The service to connect to.'),
  port: portNumber.describe('The port to connect to.'),
  open: z.boolean().default(true).describe('Whether the port must accept connections, or must not.'),
})

const Answer = z.object({ open: z.boolean(), error: z.string().optional() })

const run: RunProbe<typeof schema> = async ({ host, port, open }, { observer }) => {
  const answer = await observer.ask({ ask: 'tcp', host, port }, Answer, 8_000)
  return { passed: answer.open === open, saw: `${host}:${port} is ${answer.open ? 'open' : `closed (${answer.error})`}` }
}

export const kind = probeKind({
  looksAt: 'whether a port is open',
  from: 'the probe',
  schema,
  run,
})
