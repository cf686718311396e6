// Probe: the answer of a DNS server.

import { z } from 'zod'
import { serviceName, text } from '../field-schemas.ts'
import { differs, holds, oneLine } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  name: z.string().min(1).describe('The name that is asked for.'),
  type: z.enum(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT']).default('A').describe('The type of record.'),
  server: serviceName.optional().describe('A service that answers on port 53; without it, where the services themselves ask.'),
  expect: z
    .strictObject({
      exists: z.boolean().default(true).describe('Whether there must be an answer, or must be none.'),
      service: serviceName.optional().describe('The only answer is the address of this service.'),
      answers: text.optional().describe('Exactly these, in any order.'),
    })
    .prefault({})
    .describe('What the answer must be; without it, that there is one.'),
})

const Answer = z.object({ answers: z.array(z.string()), error: z.string().optional() })

const same = (left: readonly string[], right: readonly string[]) => [...left].sort().join('\n') === [...right].sort().join('\n')

const run: RunProbe<typeof schema> = async ({ name, type, server, expect }, { observer }) => {
  const { answers, error } = await observer.ask({ ask: 'dns', name, type, server }, Answer, 12_000)
  const found = answers.filter((answer) => answer !== '')
  const saw = `${name} ${type} is ${error ?? (found.length === 0 ? 'unknown' : oneLine(found.join(', ')))}`
  if (error !== undefined || found.length > 0 !== expect.exists) return differs(saw)
  if (expect.answers !== undefined && !same(found, expect.answers)) return differs(saw)
  if (expect.service === undefined) return holds(saw)
  const state = await observer.engine.describe(observer.sandbox)
  const own = state?.services.find((entry) => entry.name === expect.service)?.addresses ?? []
  return found.length > 0 && found.every((answer) => own.includes(answer)) ? holds(saw) : differs(saw)
}

export const kind = probeKind({
  looksAt: 'what a name stands for, asked of a `server` of the sandbox or where its services ask',
  from: 'the probe',
  schema,
  run,
})
