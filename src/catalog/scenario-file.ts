// The strict schema of scenario.yaml.

import { z } from 'zod'
import { Course, Tier } from '../contract/course.ts'
import { grantableCapabilities } from '../engine/engine.ts'
import { HttpRequest, Probe, ProbeScript, size, units, word } from './probe-file.ts'

const id = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens')
  .max(48)
const serviceName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'a host name of lower-case letters, digits and hyphens')
const absolutePath = z.string().regex(/^\/[^\0]*$/, 'an absolute path')
const insidePath = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the scenario folder')

const port = z.int().min(1).max(65_535)
/** Only sysctls that are per namespace, so that they affect no other container. */
const sysctlName = z.string().regex(/^(net\.|kernel\.(shm|msg|sem)|fs\.mqueue\.)[a-z0-9_.]*$/, 'a namespaced kernel setting')

const ready = z.union([
  z.strictObject({
    http: z.strictObject({ url: z.string().regex(/^http:\/\/[^\s/]+\//), status: z.int().min(100).max(599).default(200) }),
  }),
  z.strictObject({ tcp: z.strictObject({ host: serviceName, port }) }),
])

const mostNetworks = 4

const linePattern = z.string().refine((text) => {
  try {
    new RegExp(text)
    return text !== ''
  } catch {
    return false
  }
}, 'is not a regular expression')

const service = z.strictObject({
  image: id,
  role: z.string().min(1),
  command: z.array(z.string()).min(1).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), word).default({}),
  files: z.record(absolutePath, insidePath).default({}),
  tmpfs: z.record(absolutePath, z.strictObject({ size, inodes: z.int().min(16).optional() })).default({}),
  memory: size.default(128 * units.m),
  cpus: z.number().min(0.05).max(4).default(1),
  pids: z.int().min(16).max(2048).default(128),
  caps: z.array(z.enum(grantableCapabilities)).default([]),
  sysctls: z.record(sysctlName, word).default({}),
  init: z.boolean().default(true),
  ports: z.array(port).default([]),
  ready: ready.optional(),
  view: z.boolean().default(false).describe('Whether it has a docker command that sees this sandbox only. For the workstation.'),
  intact: z
    .array(absolutePath)
    .default([])
    .describe('Files, and folders with all that is in them, that no honest repair touches: content, mode, owner. Step 1 compares.'),
  may_change: z.array(absolutePath).default([]).describe('What a repair may change all the same, of program files and of what is intact.'),
  settings: z
    .record(absolutePath, linePattern)
    .default({})
    .describe(
      'Files in which a repair may change, add and remove whole lines that match; all others stay, in their order. They need not be listed under intact.',
    ),
  must_run: z.array(absolutePath).default([]).describe('Executables that must be running, unaltered, at every grading.'),
})

const param = z.union([
  z.strictObject({ int: z.tuple([z.int(), z.int()]) }),
  z.strictObject({ hex: z.int().min(1).max(64) }),
  z.strictObject({ word: z.int().min(4).max(24) }),
  z.strictObject({ pick: z.array(z.union([z.string(), z.int()])).min(1) }),
])

export const observedSteps = ['service_recovered', 'root_cause_removed', 'data_preserved', 'safeguards_kept'] as const
export type ObservedStep = (typeof observedSteps)[number]

const limit = z
  .strictObject({
    in: serviceName,
    memory: size.pipe(z.number().min(8 * units.m, 'must be at least 8m')).optional(),
    cpus: z.number().min(0.01).max(4).optional(),
    pids: z.int().min(8).max(2048).optional(),
  })
  .refine(({ memory, cpus, pids }) => (memory ?? cpus ?? pids) !== undefined, 'sets no limit')

const faultStep = z.union(
  [
    z.strictObject({ in: z.union([serviceName, z.array(serviceName).min(1)]), run: insidePath }),
    z.strictObject({ limit: limit.describe('Lowers the limits of a service, as docker update does.') }),
    z.strictObject({ confirm: Probe }),
  ],
  { error: 'must be one of { in: service, run: fault/script.sh }, { limit: … } and { confirm: probe }' },
)

/** Per second, on average. */
const rate = z.number().positive().max(50)

const loadRequest = HttpRequest.extend({ expect_status: z.int().default(200) })

export const ScenarioFile = z
  .strictObject({
    format: z.literal(1),
    id,
    kind: z.enum(['incident', 'foundation']),
    title: z.string().min(1),
    tier: Tier,
    domain: id,
    cluster: Course.shape.cluster.default('standard'),
    duration_minutes: z.int().min(5).max(240),
    stack: z.array(z.string()).min(1),
    description: z.string().min(1),
    learning_objectives: z.array(z.string()).min(1),
    symptom: z.string().min(1),
    impact: z.string().min(1),
    workstation: serviceName,
    /** False for what is too large, or changes too much by itself, to be kept ready. */
    warm: z.boolean().default(true),
    links: z.array(z.strictObject({ from: serviceName, to: serviceName, port })).default([]),
    services: z.record(serviceName, service),
    networks: z
      .record(serviceName, z.array(serviceName).min(1))
      .refine((networks) => Object.keys(networks).length <= mostNetworks, `at most ${mostNetworks} networks`)
      .optional()
      .describe('Who can talk to whom, by network; left out: one network with every service. The customers are on all of them.'),
    params: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), param).default({}),
    traffic: z
      .array(z.union([z.strictObject({ http: HttpRequest.extend({ rate }) }), z.strictObject({ script: ProbeScript.extend({ rate }) })]))
      .default([]),
    recurring: z
      .array(z.strictObject({ in: serviceName, what: z.string().min(1), every_seconds: z.int().min(1).max(9) }))
      .default([])
      .describe('What comes back by itself in the sandbox (a cron job, a controller): a load window lasts at least two of its rounds.'),
    baseline: z
      .record(
        z.string().regex(/^[a-z][a-z0-9_]*$/),
        z.strictObject({ script: z.strictObject({ run: insidePath, env: z.record(z.string(), word).default({}) }) }),
      )
      .default({}),
    fault: z.array(faultStep).min(2),
    breaks: z.array(z.enum(['topology_intact', ...observedSteps])).min(1),
    steps: z.strictObject({
      service_recovered: z.array(Probe).min(1),
      root_cause_removed: z.array(Probe).min(1),
      data_preserved: z.array(Probe).min(1),
      safeguards_kept: z.array(Probe).min(1),
      survives_restart: z.strictObject({
        restart: z.array(serviceName).min(1).optional().describe('Every machine, unless told otherwise.'),
        // biome-ignore lint/suspicious/noThenProperty: the scenario format's own word
        then: z.array(z.enum(observedSteps)).min(1),
        within_seconds: z.int().min(1).max(20).default(15),
      }),
      stable_under_load: z.strictObject({
        seconds: z.int().min(1).max(20),
        load: z
          .strictObject({
            http: z.array(loadRequest).default([]),
            script: z.array(ProbeScript).default([]),
            concurrency: z.int().min(1).max(100),
          })
          .refine(({ http, script }) => http.length + script.length > 0, 'has neither http nor script'),
        budget: z.strictObject({ error_rate: z.number().min(0).max(1), p95_ms: z.int().positive() }),
      }),
    }),
    hints: z.array(z.strictObject({ when: Probe.optional(), text: z.string().min(1) })).default([]),
  })
  .refine((file) => Object.hasOwn(file.services, file.workstation), { path: ['workstation'], message: 'is not one of the services' })
  .refine((file) => Object.entries(file.services).every(([name, { view }]) => !view || name === file.workstation), {
    path: ['services'],
    message: 'only the workstation can have a view',
  })
  .refine((file) => file.fault.some((step) => 'confirm' in step), { path: ['fault'], message: 'must end in a confirm' })

export type ScenarioFile = z.infer<typeof ScenarioFile>

/** For editors. A parameter may stand wherever a value does, so values are described, not enforced, there. */
export const scenarioJsonSchema = (): unknown => z.toJSONSchema(ScenarioFile, { io: 'input', unrepresentable: 'any' })
