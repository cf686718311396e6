// The schema of probes in scenario.yaml: what to observe, and what is expected. src/grading/ runs them.

import { z } from 'zod'

const serviceName = z.string().min(1)
export const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const
/** In bytes. */
export const size = z
  .string()
  .regex(/^\d+[kmg]$/, 'a size such as 64m')
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units])
const url = z.string().regex(/^http:\/\/[^\s/]+/, 'an http:// address inside the sandbox')
/** A text; a number is accepted too, because a parameter may be one. */
export const word = z.union([z.string(), z.number()]).transform(String)
const text = z.union([word, z.array(word)]).transform((value) => (Array.isArray(value) ? value : [value]))
/** Signs that a text is meant as a regular expression. */
const patternSign = /\\[sSwWdDbB]|\(\?|\[\^|\.\*/
const plainText = text.refine(
  (parts) => !parts.some((part) => patternSign.test(part)),
  'plain text: a pattern belongs to matches or lacks_matches',
)
const pattern = z.string().refine((source) => {
  try {
    return new RegExp(source, 'm') !== null
  } catch {
    return false
  }
}, 'a regular expression')
const insidePath = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the scenario folder')
const absolutePath = z.string().regex(/^\//, 'an absolute path')

export const HttpRequest = z.strictObject({
  url,
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  headers: z.record(z.string(), word).default({}),
  body: word.optional(),
  timeout_ms: z.int().min(50).max(15_000).default(5_000),
})

const http = HttpRequest.extend({
  expect: z.strictObject({
    status: z.union([z.int(), z.array(z.int())]).transform((value) => (Array.isArray(value) ? value : [value])),
    body: text.optional().describe('Every text must appear in the body.'),
    body_lacks: text.optional(),
    headers: z.record(z.string(), word).optional().describe('Each header must hold its text.'),
  }),
})

const tcp = z.strictObject({ host: serviceName, port: z.int().min(1).max(65_535), open: z.boolean().default(true) })

const dns = z.strictObject({
  name: z.string().min(1),
  type: z.enum(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT']).default('A'),
  server: serviceName.optional().describe('A service that answers on port 53; without it, where the services themselves ask.'),
  expect: z
    .strictObject({
      exists: z.boolean().default(true),
      service: serviceName.optional().describe('The only answer is the address of this service.'),
      answers: text.optional().describe('Exactly these, in any order.'),
    })
    .prefault({}),
})

const exec = z.strictObject({
  in: serviceName,
  run: z.string(),
  expect: z.strictObject({ exit_code: z.int().default(0), stdout: text.optional() }).prefault({}),
  timeout_ms: z.int().max(15_000).default(5_000),
})

/** A script that runs in the probe. */
export const ProbeScript = z.strictObject({
  run: insidePath,
  env: z.record(z.string(), word).default({}),
  timeout_ms: z.int().max(20_000).default(10_000),
})

export type ProbeScript = z.infer<typeof ProbeScript>

const script = ProbeScript.extend({
  input: z
    .strictObject({ in: serviceName, path: z.union([absolutePath.transform((path) => [path]), z.array(absolutePath).min(1)]) })
    .optional()
    .describe('Files of a service, joined, as standard input.'),
  expect: z.strictObject({ exit_code: z.int().default(0), stdout: word.optional() }).prefault({}),
})

const file = z.strictObject({
  in: serviceName,
  path: absolutePath,
  expect: z.strictObject({
    exists: z.boolean().default(true),
    contains: plainText.optional().describe('Plain text, not a pattern.'),
    lacks: plainText.optional().describe('Plain text, not a pattern.'),
    matches: pattern.optional().describe('A regular expression, multi-line.'),
    lacks_matches: pattern.optional().describe('A regular expression, multi-line, that nothing there may match.'),
    mode: z
      .string()
      .regex(/^[0-7]{4}$/)
      .optional(),
    uid: z.int().optional(),
    others_write: z.literal(false).optional().describe('Nobody but owner and group may write what is found.'),
  }),
})

const processProbe = z.strictObject({
  in: serviceName,
  executable: absolutePath,
  uid: z.int().optional(),
  count: z.strictObject({ min: z.int().default(1), max: z.int().optional() }).prefault({}),
})

const listener = z.strictObject({
  in: serviceName,
  port: z.int().optional().describe('Without it: every port that is open to the network.'),
  only_ports: z.array(z.int()).optional().describe('No other port is open to the network.'),
  executable: absolutePath,
  uid: z.int().optional(),
})

const peers = z.strictObject({
  in: serviceName,
  only: z.array(serviceName).describe('The services that it may connect to; its own name stands for itself.'),
})

const container = z.strictObject({
  in: serviceName,
  running: z.boolean().default(true),
  memory_at_least: size.optional().describe('Its limit of memory, as it stands on the engine.'),
  cpus_at_least: z.number().positive().optional(),
  pids_at_least: z.int().positive().optional(),
  up_seconds_at_least: z.number().positive().optional().describe('How long it has been running since its last start.'),
})

const leaf = { http, tcp, dns, exec, script, file, process: processProbe, listener, peers, container }

type Leaves = { [K in keyof typeof leaf]: z.infer<(typeof leaf)[K]> }
type Only<T> = { [K in keyof T]: { readonly [P in K]: T[K] } }[keyof T]

export type LeafProbe = Only<Leaves>
export type Probe =
  | LeafProbe
  | { readonly all: readonly Probe[] }
  | { readonly any: readonly Probe[] }
  | { readonly not: Probe }
  | { readonly retry: { readonly within_ms: number; readonly probe: Probe } }

export const Probe: z.ZodType<Probe> = z.lazy(() =>
  z.union(
    [
      ...Object.entries(leaf).map(([name, shape]) => z.strictObject({ [name]: shape })),
      z.strictObject({ all: z.array(Probe).min(1) }),
      z.strictObject({ any: z.array(Probe).min(1) }),
      z.strictObject({ not: Probe }),
      z.strictObject({ retry: z.strictObject({ within_ms: z.int().min(100).max(20_000), probe: Probe }) }),
    ],
    {
      error: (issue) => closest(issue.input),
    },
  ),
) as unknown as z.ZodType<Probe>

/** The error for the kind of probe that was probably meant. */
const closest = (input: unknown): string => {
  const names = typeof input === 'object' && input !== null ? Object.keys(input) : []
  const [name = ''] = names
  const shape = names.length === 1 && Object.hasOwn(leaf, name) ? leaf[name as keyof typeof leaf] : undefined
  const parsed = shape?.safeParse((input as Record<string, unknown>)[name])
  if (parsed?.error !== undefined)
    return parsed.error.issues.map((issue) => `${[name, ...issue.path].join('.')}: ${issue.message}`).join('; ')
  return `is not a probe (one of ${[...Object.keys(leaf), 'all', 'any', 'not', 'retry'].join(', ')}): ${names.join(', ') || 'empty'}`
}

/** Every leaf in a tree. */
export const leavesOf = (probe: Probe): LeafProbe[] => {
  if ('all' in probe) return probe.all.flatMap(leavesOf)
  if ('any' in probe) return probe.any.flatMap(leavesOf)
  if ('not' in probe) return leavesOf(probe.not)
  if ('retry' in probe) return leavesOf(probe.retry.probe)
  return [probe]
}
