// The steps of scenario.yaml: what must be seen of a repair. The first of the seven, topology_intact, is the same for all.

import { z } from 'zod'
import { serviceName } from '../probes/field-schemas.ts'
import { HttpRequest } from '../probes/kinds/http.ts'
import { ProbeScript } from '../probes/kinds/script.ts'
import { Probe } from './probe-file.ts'
import { kill, provoke } from './provocation-file.ts'
import { writes } from './records-file.ts'

export const observedSteps = ['service_recovered', 'root_cause_removed', 'data_preserved', 'safeguards_kept'] as const
export type ObservedStep = (typeof observedSteps)[number]

const probes = z.array(Probe).min(1)

const survivesRestart = z.strictObject({
  restart: z.array(serviceName).min(1).optional().describe('The services that are restarted. Every machine, unless told otherwise.'),
  kill,
  // biome-ignore lint/suspicious/noThenProperty: the scenario format's own word
  then: z.array(z.enum(observedSteps)).min(1).describe('The steps that are looked at again after the restart.'),
  within_seconds: z.int().min(1).max(20).default(15).describe('How long the services may take to come back.'),
})

const load = z
  .strictObject({
    http: z
      .array(HttpRequest.extend({ expect_status: z.int().default(200).describe('Any other status is an error.'), writes }))
      .default([])
      .describe('Requests that the customers send.'),
    script: z
      .array(ProbeScript.extend({ writes }))
      .default([])
      .describe('Scripts that customers run, for what is not HTTP. An exit code other than 0 is an error.'),
    concurrency: z.int().min(1).max(100).describe('How many customers there are at once; each goes through all acts, over and over.'),
  })
  .refine(({ http, script }) => http.length + script.length > 0, 'has neither http nor script')

const stableUnderLoad = z.strictObject({
  seconds: z.int().min(1).max(20).describe('How long the load lasts: at least two rounds of whatever comes back by itself.'),
  load: load.describe('What the customers do.'),
  provoke,
  budget: z
    .strictObject({
      error_rate: z.number().min(0).max(1).describe('The share of acts that may go wrong, from 0 to 1.'),
      p95_ms: z.int().positive().describe('How many milliseconds 95 of 100 acts may take at most.'),
    })
    .describe('What the customers bear.'),
  afterwards: z
    .array(Probe)
    .default([])
    .describe('What is seen once the load is over, and only then: what counts since the machines were restarted for the step before.'),
})

export const steps = z.strictObject({
  service_recovered: probes.describe("The customer's own transaction works from outside, end to end; it carries a {{nonce}}."),
  root_cause_removed: probes.describe('The fault is gone from configuration and live state.'),
  data_preserved: z
    .array(Probe)
    .default([])
    .describe('Everything that existed before is still there, as far as records do not say so; compares with a {{baseline.NAME}}.'),
  safeguards_kept: probes.describe('Logins, rights and limits are as they were.'),
  survives_restart: survivesRestart.describe('It all holds after a restart.'),
  stable_under_load: stableUnderLoad.describe('It all holds under load, for a while.'),
})
