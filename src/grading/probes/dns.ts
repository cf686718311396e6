// Probe: the answer of a DNS server.

import { z } from 'zod'
import type { LeafProbe } from '../../catalog/probe-file.ts'
import { differs, holds, oneLine } from '../observation.ts'
import type { RunProbe } from '../probe-context.ts'

type Spec = Extract<LeafProbe, { dns: unknown }>['dns']

const Answer = z.object({ answers: z.array(z.string()), error: z.string().optional() })

const same = (left: readonly string[], right: readonly string[]) => [...left].sort().join('\n') === [...right].sort().join('\n')

export const run: RunProbe<Spec> = async ({ name, type, server, expect }, { observer }) => {
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
