// The strict schema of scenario.yaml. What each key means is its description, which editors show.

import { z } from 'zod'
import { Course, Tier } from '../contract/course.ts'
import { id, insidePath, pattern, port, serviceName, size, units, word } from '../probes/field-schemas.ts'
import { HttpRequest } from '../probes/kinds/http.ts'
import { ProbeScript } from '../probes/kinds/script.ts'
import { canBeQueried, dataStore } from './data-store-file.ts'
import { Probe } from './probe-file.ts'
import { recordSet, setName, writes } from './records-file.ts'
import { service } from './service-file.ts'
import { observedSteps, steps } from './steps-file.ts'

const mostNetworks = 4
const name = z.string().regex(/^[a-z][a-z0-9_]*$/)

/** Shorter ones could stand anywhere by chance. */
const leastSecret = 8
const secret = z
  .boolean()
  .optional()
  .describe('Whether nobody else should read it: then it must lie open nowhere where it did not in the healthy system.')
const isLongEnough = (digits: number, isSecret: boolean | undefined) => isSecret !== true || digits >= leastSecret
const tooShort = `a secret has at least ${leastSecret} characters`

const param = z.union([
  z.strictObject({ int: z.tuple([z.int(), z.int()]).describe('A whole number from the first to the second, both included.') }),
  z
    .strictObject({ hex: z.int().min(1).max(64).describe('This many hexadecimal digits.'), secret })
    .refine((param) => isLongEnough(param.hex, param.secret), tooShort),
  z
    .strictObject({ word: z.int().min(4).max(24).describe('This many lower-case letters.'), secret })
    .refine((param) => isLongEnough(param.word, param.secret), tooShort),
  z.strictObject({
    pick: z
      .array(z.union([z.string(), z.int()]))
      .min(1)
      .describe('One of these.'),
  }),
])

const limit = z
  .strictObject({
    in: serviceName.describe('The service whose limits are lowered.'),
    memory: size
      .pipe(z.number().min(8 * units.m, 'must be at least 8m'))
      .optional()
      .describe('The new limit of memory, such as 16m.'),
    cpus: z.number().min(0.01).max(4).optional().describe('The new limit of processors.'),
    pids: z.int().min(8).max(2048).optional().describe('The new limit of processes and threads.'),
  })
  .refine(({ memory, cpus, pids }) => (memory ?? cpus ?? pids) !== undefined, 'sets no limit')

const faultStep = z.union(
  [
    z.strictObject({
      in: z.union([serviceName, z.array(serviceName).min(1)]).describe('The service, or a list of services, in which the script runs.'),
      run: insidePath.describe('A script of the scenario, such as fault/break.sh. Runs as root, through standard input.'),
    }),
    z.strictObject({ limit: limit.describe('Lowers the limits of a service, as docker update does.') }),
    z.strictObject({ confirm: Probe.describe('Must hold before the sandbox is handed over: the symptom, as a customer sees it.') }),
  ],
  { error: 'must be one of { in: service, run: fault/script.sh }, { limit: … } and { confirm: probe }' },
)

const rate = z.number().positive().max(50).describe('How often a second, on average.')

const link = z.strictObject({
  from: serviceName.describe('The service that connects.'),
  to: serviceName.describe('The service that it connects to.'),
  port: port.describe('The port that it connects to.'),
})

const trafficAct = z.union([
  z.strictObject({ http: HttpRequest.extend({ rate, writes }).describe('A request that customers send.') }),
  z.strictObject({ script: ProbeScript.extend({ rate, writes }).describe('A script that customers run, for what is not HTTP.') }),
])

const recurringActor = z.strictObject({
  in: serviceName.describe('The service in which it runs.'),
  what: z.string().min(1).describe('What it is, in a few words.'),
  every_seconds: z.int().min(1).max(9).describe('How often it comes.'),
})

const baselineScript = z.strictObject({
  run: insidePath.describe('The script, as a path inside the scenario folder; what it prints is the baseline.'),
  env: z.record(z.string(), word).default({}).describe('Environment variables of the script.'),
})

const hint = z.strictObject({
  when: Probe.optional().describe('Told only while this holds: a hint that no longer helps is kept back.'),
  text: z.string().min(1).describe('What the user reads.'),
})

export const ScenarioFile = z
  .strictObject({
    format: z.literal(1).describe('The version of this format: 1.'),
    id: id.describe('The name of its folder. Users never see it inside the sandbox.'),
    kind: z.enum(['incident', 'foundation']).describe('An incident is a whole story; a foundation trains one skill.'),
    title: z.string().min(1).describe('What is wrong, in the words of a ticket; never why.'),
    tier: Tier.describe('How hard it is.'),
    domain: id.describe('The field that it belongs to, such as web-server or database.'),
    access: Course.shape.access.default('free').describe('Pro: where plans are sold, starting it needs one. Free, unless told otherwise.'),
    cluster: Course.shape.cluster
      .default('standard')
      .describe('Large: starting it needs a permission and always makes a job. Standard, unless told otherwise.'),
    duration_minutes: z.int().min(5).max(240).describe('How long a learner should need. The sandbox lives longer.'),
    stack: z.array(z.string()).min(1).describe('The products that it is built of, as users would search for them.'),
    description: z.string().min(1).describe('The symptom in a few sentences, for the catalog; never the cause.'),
    learning_objectives: z.array(z.string()).min(1).describe('What one can do afterwards, a sentence each; without giving the cause away.'),
    symptom: z.string().min(1).describe('What is seen from outside, in one sentence.'),
    impact: z.string().min(1).describe('What it costs whom, in one sentence.'),
    workstation: serviceName.describe('The service on which the terminal opens.'),
    warm: z.boolean().default(true).describe('False for what is too large, or changes too much by itself, to be kept ready.'),
    links: z.array(link).default([]).describe('Who connects to whom, as the topology shows it to users. Opens nothing.'),
    services: z.record(serviceName, service).describe('The machines, by host name.'),
    networks: z
      .record(serviceName, z.array(serviceName).min(1))
      .refine((networks) => Object.keys(networks).length <= mostNetworks, `at most ${mostNetworks} networks`)
      .optional()
      .describe('Who can talk to whom, by network; left out: one network with every service. The customers are on all of them.'),
    params: z
      .record(name, param)
      .default({})
      .describe("Values drawn from the session's seed, by name; {{name}} stands for one wherever a value does, and in files and scripts."),
    private: z
      .record(name, pattern)
      .default({})
      .describe(
        'What nobody else may read, by name, as a regular expression: account numbers, for instance. It must lie open nowhere where it did not in the healthy system.',
      ),
    traffic: z.array(trafficAct).default([]).describe('What customers do all the time, so that the symptom is live and logs are real.'),
    recurring: z
      .array(recurringActor)
      .default([])
      .describe('What comes back by itself in the sandbox (a cron job, a controller): a load window lasts at least two of its rounds.'),
    baseline: z
      .record(name, z.strictObject({ script: baselineScript.describe('Runs in the probe while the system is healthy.') }))
      .default({})
      .describe('What is recorded before the fault, by name; probes compare with it as {{baseline.NAME}}.'),
    data_stores: z
      .record(serviceName, dataStore)
      .default({})
      .describe('What the product sees to by itself in safeguards_kept, by service: that the store is as it was before the fault.'),
    records: z
      .record(setName, recordSet)
      .default({})
      .describe(
        'What the product sees to by itself in data_preserved, by name of the set: rows that were there before the fault, and what customers were told is written, are there once and unchanged, and nothing else is.',
      ),
    fault: z.array(faultStep).min(2).describe('What breaks the system, step by step; ends in a confirm.'),
    breaks: z
      .array(z.enum(['topology_intact', ...observedSteps]))
      .min(1)
      .describe('The steps that fail right after the fault, and no others.'),
    steps: steps.describe('What must be seen of a repair.'),
    hints: z.array(hint).default([]).describe('From general to specific; three at least, and one of them at least with a when.'),
  })
  .refine((file) => Object.hasOwn(file.services, file.workstation), { path: ['workstation'], message: 'is not one of the services' })
  .refine((file) => Object.entries(file.services).every(([machine, { view }]) => !view || machine === file.workstation), {
    path: ['services'],
    message: 'only the workstation can have a view',
  })
  .superRefine((file, { addIssue }) => {
    for (const [set, { rows }] of Object.entries(file.records))
      if ('in' in rows && !canBeQueried(file.data_stores[rows.in]))
        addIssue({
          code: 'custom',
          path: ['records', set, 'rows', 'in'],
          message: `${rows.in} is none of data_stores that can be queried`,
        })
  })
  .refine((file) => file.fault.some((step) => 'confirm' in step), { path: ['fault'], message: 'must end in a confirm' })

export type ScenarioFile = z.infer<typeof ScenarioFile>

/** For editors. A parameter may stand wherever a value does, so values are described, not enforced, there. */
export const scenarioJsonSchema = (): unknown => z.toJSONSchema(ScenarioFile, { io: 'input', unrepresentable: 'any' })
