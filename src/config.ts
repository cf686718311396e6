// The configuration: LAB_* environment variables, parsed once. The only reader of process.env.

import { isIP } from 'node:net'
import { cpus, hostname, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { LabError } from './errors.ts'
import type { Limits, RateClass } from './limits.ts'
import { tellIssues } from './problems.ts'

const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.number().min(min).max(max))

/** Room for sandboxes on this machine: 192 MiB of memory and a fiftieth of a core for each. */
const measuredCapacity = () => Math.max(1, Math.min(Math.floor(totalmem() / (192 * 2 ** 20)), cpus().length * 50))

/** A few sandboxes stand ready, as long as that is a small part of the room. */
const measuredPool = () => Math.max(1, Math.min(4, Math.floor(measuredCapacity() / 8)))

const cidr = z
  .string()
  .regex(/^(\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/, 'must be an IPv4 range such as 10.213.0.0/16')
  .refine((value) => {
    const [address = '', bits] = value.split('/')
    return address.split('.').every((part) => Number(part) <= 255) && Number(bits) >= 8 && Number(bits) <= 28
  }, 'must be an IPv4 range between /8 and /28')

const publicUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !URL.canParse(url) || new URL(url).href === `${new URL(url).origin}/`, 'must be a root address without a path')
  .transform((url) => new URL(url).origin)

const rate = whole(1, 999_999)
/** One number for each class of operation: read=120,write=30,start=6,exec=120,auth=20 */
const rates = z
  .string()
  .regex(/^[a-z]+=\d{1,6}(,[a-z]+=\d{1,6})*$/, 'must look like read=120,write=30,start=6,exec=120,auth=20')
  .transform((text): unknown => Object.fromEntries(text.split(',').map((part) => part.split('='))))
  .pipe(z.strictObject({ read: rate, write: rate, start: rate, exec: rate, auth: rate } satisfies Record<RateClass, z.ZodType>))

const origins = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(publicUrl))

const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  return family !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
}

const addressRanges = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isAddressRange), 'must be addresses or ranges, separated by commas')

const shape = {
  LAB_HOST: z.string().min(1).default('127.0.0.1'),
  LAB_PORT: whole(0, 65_535).default(8080),
  LAB_DATA_DIR: z
    .string()
    .min(1)
    .default('.lab')
    .transform((path) => resolve(path)),
  LAB_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  LAB_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  LAB_CAPACITY: whole(1, 10_000).default(measuredCapacity),
  LAB_ACCOUNT_SANDBOXES: whole(1, 10_000).default(2),
  LAB_ANONYMOUS_SANDBOXES: whole(0, 10_000).default(1),
  LAB_DISK_BYTES: whole(16 * 2 ** 20, 2 ** 50).default(2 ** 30),
  LAB_ENGINE_DIR: z
    .string()
    .min(1)
    .default('/var/lib/docker-userns')
    .transform((path) => resolve(path)),
  LAB_SUBNET_POOL: cidr.default('10.213.0.0/16'),
  LAB_RUNTIME: z
    .string()
    .regex(/^[a-zA-Z0-9._-]+$/)
    .optional(),
  LAB_PUBLIC_URL: publicUrl.optional(),
  LAB_DIRECT_URL: publicUrl.optional(),
  LAB_TRUSTED_PROXIES: addressRanges.default([]),
  LAB_ALLOWED_ORIGINS: origins.default([]),
  LAB_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,256}$/, 'must have 16 to 256 printable characters without spaces')
    .optional(),
  LAB_CONNECTIONS: whole(1, 1_000_000).default(5_000),
  LAB_NETWORK_CONNECTIONS: whole(1, 1_000_000).default(500),
  LAB_SECURITY_CONTACT: z.url({ protocol: /^(https|mailto|tel)$/ }).optional(),
  LAB_QUEUE_MAX: whole(0, 10_000).default(50),
  LAB_RATE_LIMIT_SCALE: z
    .string()
    .regex(/^\d{1,4}(\.\d{1,3})?$/, 'must be a number from 0')
    .transform(Number)
    .default(1),
  LAB_RATES_ANONYMOUS: rates.default({ read: 120, write: 30, start: 6, exec: 120, auth: 20 }),
  LAB_RATES_ACCOUNT: rates.default({ read: 600, write: 120, start: 20, exec: 600, auth: 20 }),
  LAB_LINGER_MINUTES: whole(0, 1440).default(15),
  LAB_ANONYMOUS_MINUTES: whole(1, 1440).default(30),
  LAB_EXTEND_MINUTES: whole(1, 1440).default(30),
  LAB_LONGEST_MINUTES: whole(1, 1440).default(120),
  LAB_GRACE_MINUTES: whole(1, 1440).default(10),
  LAB_EVALUATIONS: whole(1, 1000).default(20),
  LAB_EVALUATION_SPACING_SECONDS: whole(0, 3600).default(5),
  LAB_POOL: z
    .string()
    .regex(/^(off|\d{1,4})$/, 'must be off, or how many warm sandboxes there may be in all')
    .transform((text) => (text === 'off' ? 0 : Number(text)))
    .default(measuredPool),
  LAB_POOL_MINUTES: whole(1, 1440).default(30),
  /** Plans and payments do not exist yet: only their absence can be asked for. */
  LAB_REQUIRE_PLAN: z.enum(['0', 'false'], 'must be 0: there are no plans to have yet').default('0'),
  LAB_PAYMENTS: z.enum(['off'], 'must be off: there are no payments yet').default('off'),
  LAB_BATCH_ITEMS: whole(1, 100).default(20),
  LAB_IDEMPOTENCY_HOURS: whole(1, 720).default(24),
  LAB_IDEMPOTENCY_BODY_BYTES: whole(0, 2 ** 30).default(256 * 2 ** 10),
  LAB_IDEMPOTENCY_ACCOUNT_BYTES: whole(0, 2 ** 40).default(16 * 2 ** 20),
  LAB_TERMINAL_LINGER_SECONDS: whole(0, 3600).default(120),
  LAB_RECORDING_BYTES: whole(0, 2 ** 30).default(10 * 2 ** 20),
  LAB_RECORDING_DAYS: whole(0, 3650).default(7),
  LAB_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  LAB_NODE: z.string().min(1).default(hostname),
} as const

const secrets = new Set(['LAB_SECRET', 'LAB_DATABASE_URL', 'LAB_METRICS_TOKEN'])
const schema = z.object(shape)

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly secret: string | undefined
  readonly limits: Limits
  /** Multiplies every rate; 0 takes the limit off. */
  readonly rateLimitScale: number
  readonly subnetPool: string
  readonly runtime: string | undefined
  readonly publicUrl: string | undefined
  readonly directUrl: string | undefined
  /** Whose word about where a request came from counts. */
  readonly trustedProxies: readonly string[]
  /** Pages beside our own that may open terminals and call tools. */
  readonly allowedOrigins: readonly string[]
  readonly metricsToken: string | undefined
  readonly securityContact: string | undefined
  readonly logLevel: string
  readonly node: string
  /** Where the container engine listens, when the environment says so. */
  readonly dockerHost: string | undefined
  /** The folder of a container engine of our own; undefined where another is used. */
  readonly engineDir: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const parseEnvironment = (environment: Environment) => {
  const given = Object.fromEntries(Object.entries(environment).filter(([name, value]) => name.startsWith('LAB_') && value !== undefined))
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape, name))
  if (unknown.length > 0) {
    throw new LabError('invalid_request', `unknown configuration: ${unknown.join(', ')}`, {
      hint: './lab config lists the names that exist',
    })
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new LabError('invalid_request', `invalid configuration: ${tellIssues(parsed.error.issues, 'the environment').summary}`)
}

export const readConfig = (overrides: Environment = {}, environment: Environment = process.env): Config => {
  const merged = { ...environment, ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)) }
  const values = parseEnvironment(merged)
  return {
    host: values.LAB_HOST,
    port: values.LAB_PORT,
    dataDir: values.LAB_DATA_DIR,
    databaseUrl: values.LAB_DATABASE_URL,
    secret: values.LAB_SECRET,
    limits: {
      capacity: values.LAB_CAPACITY,
      queue: values.LAB_QUEUE_MAX,
      warm: values.LAB_POOL,
      warmMinutes: values.LAB_POOL_MINUTES,
      accountSandboxes: values.LAB_ACCOUNT_SANDBOXES,
      anonymousSandboxes: values.LAB_ANONYMOUS_SANDBOXES,
      diskBytes: values.LAB_DISK_BYTES,
      lingerMinutes: values.LAB_LINGER_MINUTES,
      anonymousMinutes: values.LAB_ANONYMOUS_MINUTES,
      extendMinutes: values.LAB_EXTEND_MINUTES,
      longestMinutes: values.LAB_LONGEST_MINUTES,
      graceMinutes: values.LAB_GRACE_MINUTES,
      evaluations: values.LAB_EVALUATIONS,
      evaluationSpacingSeconds: values.LAB_EVALUATION_SPACING_SECONDS,
      rates: { anonymous: values.LAB_RATES_ANONYMOUS, account: values.LAB_RATES_ACCOUNT },
      connections: values.LAB_CONNECTIONS,
      networkConnections: values.LAB_NETWORK_CONNECTIONS,
      batchItems: values.LAB_BATCH_ITEMS,
      idempotencyHours: values.LAB_IDEMPOTENCY_HOURS,
      keptAnswerBytes: values.LAB_IDEMPOTENCY_BODY_BYTES,
      keptAccountBytes: values.LAB_IDEMPOTENCY_ACCOUNT_BYTES,
      terminalLingerSeconds: values.LAB_TERMINAL_LINGER_SECONDS,
      recordingBytes: values.LAB_RECORDING_BYTES,
      recordingDays: values.LAB_RECORDING_DAYS,
    },
    rateLimitScale: values.LAB_RATE_LIMIT_SCALE,
    subnetPool: values.LAB_SUBNET_POOL,
    runtime: values.LAB_RUNTIME,
    publicUrl: values.LAB_PUBLIC_URL,
    directUrl: values.LAB_DIRECT_URL,
    trustedProxies: values.LAB_TRUSTED_PROXIES,
    allowedOrigins: values.LAB_ALLOWED_ORIGINS,
    metricsToken: values.LAB_METRICS_TOKEN,
    securityContact: values.LAB_SECURITY_CONTACT,
    logLevel: values.LAB_LOG_LEVEL,
    node: values.LAB_NODE,
    dockerHost: merged.DOCKER_HOST || undefined,
    engineDir: merged.DOCKER_HOST || process.getuid?.() !== 0 ? undefined : values.LAB_ENGINE_DIR,
  }
}

/** A value as it would be set. */
const written = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, part]) => `${name}=${part}`)
        .join(',')
    : String(value)

/** Every LAB_* name with its effective value; secrets are masked. */
export const describeConfig = (overrides: Environment = {}, environment: Environment = process.env): Record<string, string> => {
  const values: Record<string, unknown> = parseEnvironment({ ...environment, ...overrides })
  return Object.fromEntries(
    Object.keys(shape).map((name) => {
      const value = values[name]
      if (value === undefined) return [name, '(not set)']
      return [name, secrets.has(name) ? '********' : written(value)]
    }),
  )
}

/** The environment for a child process that serves with these overrides. */
export const childEnvironment = (overrides: Environment): NodeJS.ProcessEnv => ({ ...process.env, ...overrides })

/** True where no person can answer a question. */
export const isUnattended = (): boolean => process.env.CI !== undefined || !process.stdin.isTTY
