// The shape of scenario.yaml: a closed, strict vocabulary. Nothing outside it can be asked for.

import { z } from 'zod'
import { grantableCapabilities } from '../engine/engine.ts'

const id = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case words joined by hyphens')
  .max(48)
const serviceName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'a host name of lower-case letters, digits and hyphens')
const absolutePath = z.string().regex(/^\/[^\0]*$/, 'an absolute path')
const insidePath = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the scenario folder')

const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const
const size = z
  .string()
  .regex(/^\d+[kmg]$/, 'a size such as 64m')
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units])

const port = z.int().min(1).max(65_535)
/** Only what lives in a container's own namespaces. */
const sysctlName = z.string().regex(/^(net\.|kernel\.(shm|msg|sem)|fs\.mqueue\.)[a-z0-9_.]*$/, 'a namespaced kernel setting')

const ready = z.union([
  z.strictObject({
    http: z.strictObject({ url: z.string().regex(/^http:\/\/[^\s/]+\//), status: z.int().min(100).max(599).default(200) }),
  }),
  z.strictObject({ tcp: z.strictObject({ host: serviceName, port }) }),
])

const service = z.strictObject({
  image: id,
  role: z.string().min(1),
  command: z.array(z.string()).min(1).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).default({}),
  files: z.record(absolutePath, insidePath).default({}),
  tmpfs: z.record(absolutePath, z.strictObject({ size, inodes: z.int().min(16).optional() })).default({}),
  memory: size.default(128 * units.m),
  cpus: z.number().min(0.05).max(4).default(1),
  pids: z.int().min(16).max(2048).default(128),
  caps: z.array(z.enum(grantableCapabilities)).default([]),
  sysctls: z.record(sysctlName, z.string()).default({}),
  init: z.boolean().default(true),
  ports: z.array(port).default([]),
  ready: ready.optional(),
})

export const ScenarioFile = z
  .strictObject({
    format: z.literal(1),
    id,
    kind: z.enum(['incident', 'foundation']),
    title: z.string().min(1),
    tier: z.enum(['beginner', 'intermediate', 'advanced', 'expert']),
    domain: id,
    duration_minutes: z.int().min(5).max(240),
    stack: z.array(z.string()).min(1),
    description: z.string().min(1),
    workstation: serviceName,
    services: z.record(serviceName, service),
  })
  .refine((file) => Object.hasOwn(file.services, file.workstation), { path: ['workstation'], message: 'is not one of the services' })

export type ScenarioFile = z.infer<typeof ScenarioFile>
