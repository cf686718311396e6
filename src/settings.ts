// Every setting of an installation beside its limits: the only definition of each. The configuration, `./lab config` and the table in
// docs/operations.md are made from it. Limits are defined in contract/limits.ts, because callers see them.

import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { RateClass } from './configured-limits.ts'
import { isLoopbackUrl } from './loopback.ts'

export interface Setting {
  readonly env: `LAB_${string}`
  readonly means: string
  /** Reads what was written; knows the default. */
  readonly schema: z.ZodType
  /** What the documents say of a default that depends on the machine. */
  readonly byDefault?: string
  /** Never shown. */
  readonly isSecret?: true
}

/** A number as it is written: digits and nothing else, or a word that stands for one. */
export const whole = (least: number, most: number, words: Readonly<Record<string, number>> = {}) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) || Object.hasOwn(words, text), ['must be a whole number', ...Object.keys(words)].join(', or '))
    .transform((text) => Number(words[text] ?? text))
    .pipe(z.number().min(least).max(most))

const folder = (path: string) =>
  z
    .string()
    .min(1)
    .default(path)
    .transform((written) => resolve(written))

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

/** An endpoint of a provider: secrets are sent to it, so it is encrypted, or on this machine. */
const providerUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => !URL.canParse(url) || new URL(url).protocol === 'https:' || isLoopbackUrl(url),
    'must begin with https, except on this machine',
  )
const credential = z
  .string()
  .regex(/^[\x21-\x7e]{1,512}$/, 'must be printable characters without spaces')
  .optional()

const yesOrNo = z
  .enum(['0', '1'], 'must be 0 or 1')
  .default('0')
  .transform((written) => written === '1')

const separated = z.string().transform((text) => text.split(',').map((part) => part.trim()))
const origins = separated.pipe(z.array(publicUrl))

const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  return family !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
}

const webhookSecrets = separated.refine(
  (parts) => parts.every((part) => /^[\x21-\x7e]{16,256}$/.test(part)),
  'must be one or several, separated by commas, of 16 to 256 printable characters without spaces',
)

const addressRanges = separated.refine((parts) => parts.every(isAddressRange), 'must be addresses or ranges, separated by commas')

const rate = whole(1, 999_999)
/** One number for each class of operation: read=120,write=30,start=6,exec=120,auth=20 */
const rates = z
  .string()
  .regex(/^[a-z]+=\d{1,6}(,[a-z]+=\d{1,6})*$/, 'must look like read=120,write=30,start=6,exec=120,auth=20')
  .transform((text): unknown => Object.fromEntries(text.split(',').map((part) => part.split('='))))
  .pipe(z.strictObject({ read: rate, write: rate, start: rate, exec: rate, auth: rate } satisfies Record<RateClass, z.ZodType>))

/** By their names in the configuration. */
export const settings = {
  host: { env: 'LAB_HOST', means: 'The address to listen on.', schema: z.string().min(1).default('127.0.0.1') },
  port: { env: 'LAB_PORT', means: 'The port to listen on; 0 for a free one.', schema: whole(0, 65_535).default(8080) },
  dataDir: {
    env: 'LAB_DATA_DIR',
    means: 'The data directory; one server per directory.',
    schema: folder('.lab'),
    byDefault: '`.lab`',
  },
  scenariosDir: {
    env: 'LAB_SCENARIOS_DIR',
    means: 'A folder with scenarios of your own, beside those of the project; the same id replaces one of these.',
    schema: z
      .string()
      .min(1)
      .transform((written) => resolve(written))
      .optional(),
  },
  databaseUrl: {
    env: 'LAB_DATABASE_URL',
    means: 'A PostgreSQL database (`postgres://…`) for the store; without it, SQLite in the data directory.',
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    isSecret: true,
  },
  secret: {
    env: 'LAB_SECRET',
    means: 'The key of session ids and of sign-ins under way, 32 characters at least; without it, a file in the data directory.',
    schema: z.string().min(32, 'must have at least 32 characters').optional(),
    isSecret: true,
  },
  engineDir: {
    env: 'LAB_ENGINE_DIR',
    means: 'The folder of the container engine that `up` starts as root; `DOCKER_HOST` names another engine instead.',
    schema: folder('/var/lib/docker-userns'),
  },
  subnetPool: {
    env: 'LAB_SUBNET_POOL',
    means: 'The IPv4 range of which every network of a sandbox takes a /28.',
    schema: cidr.default('10.213.0.0/16'),
  },
  runtime: {
    env: 'LAB_RUNTIME',
    means: "A container runtime of the engine that sandboxes run in, such as `runsc`; without it, the engine's own.",
    schema: z
      .string()
      .regex(/^[a-zA-Z0-9._-]+$/)
      .optional(),
  },
  publicUrl: {
    env: 'LAB_PUBLIC_URL',
    means: 'The root address under which the service is known.',
    schema: publicUrl.optional(),
    byDefault: 'where it listens',
  },
  directUrl: { env: 'LAB_DIRECT_URL', means: 'A second root address of the service.', schema: publicUrl.optional() },
  trustedProxies: {
    env: 'LAB_TRUSTED_PROXIES',
    means:
      'Addresses or ranges, separated by commas, whose `X-Forwarded-For` is believed; without it, everybody behind a proxy is one caller.',
    schema: addressRanges.default([]),
  },
  allowedOrigins: {
    env: 'LAB_ALLOWED_ORIGINS',
    means:
      'Origins of further web pages, separated by commas, that may open terminals and call MCP; those of the two root addresses may anyway.',
    schema: origins.default([]),
  },
  metricsToken: {
    env: 'LAB_METRICS_TOKEN',
    means: 'What `GET /metrics` takes as bearer token; without it there is no `/metrics`.',
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{16,256}$/, 'must have 16 to 256 printable characters without spaces')
      .optional(),
    isSecret: true,
  },
  securityContact: {
    env: 'LAB_SECURITY_CONTACT',
    means: '`Contact` in `security.txt`: an https, mailto or tel address.',
    schema: z.url({ protocol: /^(https|mailto|tel)$/ }).optional(),
    byDefault: '`/docs#description/security`',
  },
  githubClientId: {
    env: 'LAB_GITHUB_CLIENT_ID',
    means: 'The client id of an OAuth app at GitHub; with its secret, people sign in with GitHub.',
    schema: credential,
  },
  githubClientSecret: {
    env: 'LAB_GITHUB_CLIENT_SECRET',
    means: 'The secret of that app.',
    schema: credential,
    isSecret: true,
  },
  githubAuthorizeUrl: {
    env: 'LAB_GITHUB_AUTHORIZE_URL',
    means: 'Where GitHub asks people; another for GitHub Enterprise.',
    schema: providerUrl.default('https://github.com/login/oauth/authorize'),
  },
  githubTokenUrl: {
    env: 'LAB_GITHUB_TOKEN_URL',
    means: 'Where GitHub exchanges codes.',
    schema: providerUrl.default('https://github.com/login/oauth/access_token'),
  },
  githubApiUrl: {
    env: 'LAB_GITHUB_API_URL',
    means: 'The API of GitHub, which tells who has signed in.',
    schema: providerUrl.default('https://api.github.com'),
  },
  googleClientId: {
    env: 'LAB_GOOGLE_CLIENT_ID',
    means: 'The client id of a web application at Google; with its secret, people sign in with Google.',
    schema: credential,
  },
  googleClientSecret: {
    env: 'LAB_GOOGLE_CLIENT_SECRET',
    means: 'The secret of that application.',
    schema: credential,
    isSecret: true,
  },
  googleIssuer: {
    env: 'LAB_GOOGLE_ISSUER',
    means: 'The OpenID Connect issuer, which names its endpoints by discovery.',
    schema: providerUrl.default('https://accounts.google.com'),
  },
  requirePlan: {
    env: 'LAB_REQUIRE_PLAN',
    means: 'Whether starts need a plan or credits: 1, or 0.',
    schema: yesOrNo,
  },
  payments: {
    env: 'LAB_PAYMENTS',
    means: 'How plans and credits are paid: `off`, `stripe`, or `local`, which plays a provider for development and takes no money.',
    schema: z.enum(['off', 'local', 'stripe']).default('off'),
  },
  stripeSecretKey: {
    env: 'LAB_STRIPE_SECRET_KEY',
    means: 'The secret or restricted key of an account at Stripe, for real money or for tests.',
    schema: z
      .string()
      .regex(/^(sk|rk)_(test|live)_[\x21-\x7e]{8,240}$/, 'must begin with sk_test_, sk_live_, rk_test_ or rk_live_')
      .optional(),
    isSecret: true,
  },
  stripeWebhookSecrets: {
    env: 'LAB_STRIPE_WEBHOOK_SECRET',
    means: 'The signing secret of the webhook endpoint at Stripe; several, separated by commas, while it is changed.',
    schema: webhookSecrets.optional(),
    isSecret: true,
  },
  stripeApiUrl: {
    env: 'LAB_STRIPE_API_URL',
    means: 'The root address of the API of Stripe.',
    schema: providerUrl.pipe(publicUrl).default('https://api.stripe.com'),
  },
  ratesAnonymous: {
    env: 'LAB_RATES_ANONYMOUS',
    means: 'Requests per minute without an account, by class of operation.',
    schema: rates.default({ read: 120, write: 30, start: 6, exec: 120, auth: 20 }),
  },
  ratesAccount: {
    env: 'LAB_RATES_ACCOUNT',
    means: 'Requests per minute of an account, by class of operation.',
    schema: rates.default({ read: 600, write: 120, start: 20, exec: 600, auth: 20 }),
  },
  rateLimitScale: {
    env: 'LAB_RATE_LIMIT_SCALE',
    means: 'Multiplies all rates; 0 takes the limit off.',
    schema: z
      .string()
      .regex(/^\d{1,4}(\.\d{1,3})?$/, 'must be a number from 0')
      .transform(Number)
      .default(1),
  },
  logLevel: {
    env: 'LAB_LOG_LEVEL',
    means: 'What is logged: `trace`, `debug`, `info`, `warn`, `error` or `silent`.',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  },
  node: {
    env: 'LAB_NODE',
    means: 'The name of this server among several on one store.',
    schema: z.string().min(1).default(hostname),
    byDefault: "the machine's host name",
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingValues = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> }
