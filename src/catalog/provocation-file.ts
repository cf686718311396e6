// The schema of what grading provokes: services that are killed in the middle of customers' writes, and how the fault may come back.

import { z } from 'zod'
import { serviceName } from '../probes/field-schemas.ts'
import { Probe } from './probe-file.ts'

export const kill = z
  .union(
    [
      z.array(serviceName).min(1),
      z.strictObject({ never: z.string().min(1).describe('Why nothing is killed, in a sentence for authors.') }),
    ],
    { error: 'must be a list of services or { never: reason }' },
  )
  .optional()
  .describe(
    'The services that are killed while customers write, instead of being stopped. Left out: the data stores that records are read from by a query.',
  )

const provocation = z.union([z.strictObject({ kill: serviceName.describe('This service is killed and started again.') }), Probe], {
  error: 'must be { kill: service } or a probe',
})
export type Provocation = z.infer<typeof provocation>

export const provoke = z
  .array(provocation)
  .default([])
  .describe('What makes the fault come back if it can, one after the other from the beginning of the load; all steps must hold at its end.')
