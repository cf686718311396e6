// Parses requests to a container view with strict schemas. Fields that are not listed here must be empty, because the docker
// command sends every field that it knows, most of them empty.

import { z } from 'zod'
import { absolutePath } from '../../../contract/names.ts'
import { inWords, summarizeIssues } from '../../../validation-messages.ts'
import type { ServiceLimits } from '../../topology.ts'

/** An error response in Docker's format. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}

const isNothing = (value: unknown): boolean => {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isNothing)
  return value === undefined || value === null || value === 0 || value === '' || value === false
}

const parse = <T extends z.ZodObject>(shape: T, value: unknown): z.infer<T> => {
  const parsed = shape.safeParse(value, { error: inWords })
  if (parsed.success) return parsed.data
  throw new Refusal(400, summarizeIssues(parsed.error.issues, 'the request').summary)
}

/** Throws unless all fields outside the schema are empty. */
const parseOnly = <T extends z.ZodObject>(shape: T, body: unknown): z.infer<T> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(400, 'the body must be a JSON object')
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(shape.shape, name) && !isNothing(value)) throw new Refusal(403, `${name} cannot be set in this sandbox`)
  }
  return parse(shape, body)
}

const flag = z.boolean().nullish().transform(Boolean)
const word = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), 'contains a NUL character')
const orEmpty = (shape: z.ZodType<string>) => shape.nullish().transform((value) => value ?? '')

const ExecCreate = z.object({
  Cmd: z.array(word(32_768)).min(1).max(1024),
  Tty: flag,
  AttachStdin: flag,
  AttachStdout: flag,
  AttachStderr: flag,
  Detach: flag,
  DetachKeys: orEmpty(z.string().regex(/^[A-Za-z0-9,@^[\]\\_-]{0,64}$/)),
  Env: z
    .array(word(32_768))
    .max(256)
    .nullish()
    .transform((value) => value ?? []),
  User: orEmpty(z.string().regex(/^[A-Za-z0-9_.:-]{0,64}$/)),
  WorkingDir: orEmpty(z.union([z.literal(''), absolutePath], 'must be an absolute path')),
})
export type ExecCreate = z.infer<typeof ExecCreate>
export const parseExecCreate = (body: unknown): ExecCreate => parseOnly(ExecCreate, body)

const ExecStart = z.object({ Detach: flag, Tty: flag })
export type ExecStart = z.infer<typeof ExecStart>
export const parseExecStart = (body: unknown): ExecStart => parseOnly(ExecStart, body)

const amount = z
  .number()
  .int()
  .nullish()
  .transform((value) => value ?? 0)
const Update = z.object({ Memory: amount, MemorySwap: amount, NanoCpus: amount, CpuQuota: amount, CpuPeriod: amount, PidsLimit: amount })

/** Below these limits, a user could not even enter the service. */
const least: ServiceLimits = { memoryBytes: 8 * 1024 ** 2, cpus: 0.01, pids: 8 }

/** The limits that a request sets, each between a floor and what the service was authored with. */
export const parseUpdate = (body: unknown, authored: ServiceLimits, current: ServiceLimits): Partial<ServiceLimits> => {
  const update = parseOnly(Update, body)
  if (update.NanoCpus !== 0 && (update.CpuQuota !== 0 || update.CpuPeriod !== 0)) {
    throw new Refusal(400, 'Conflicting options: Nano CPUs and CPU Period cannot both be set.')
  }
  const cpus = update.NanoCpus !== 0 ? update.NanoCpus / 1e9 : update.CpuQuota / (update.CpuPeriod === 0 ? 100_000 : update.CpuPeriod)
  if (update.CpuPeriod !== 0 && update.CpuQuota === 0) throw new Refusal(403, 'a CPU period can be set for a service with a CPU quota only')
  if (update.MemorySwap !== 0 && update.MemorySwap !== (update.Memory || current.memoryBytes)) {
    throw new Refusal(403, 'there is no swap in this sandbox: the limit of memory and swap must equal the limit of memory')
  }
  const wanted: ServiceLimits = { memoryBytes: update.Memory, cpus, pids: update.PidsLimit }
  const words = { memoryBytes: 'memory, in bytes,', cpus: 'CPUs', pids: 'processes' } as const
  const set = (Object.keys(words) as (keyof ServiceLimits)[]).filter((name) => wanted[name] !== 0)
  for (const name of set) {
    const floor = Math.min(least[name], authored[name])
    if (wanted[name] >= floor && wanted[name] <= authored[name]) continue
    throw new Refusal(403, `the limit of ${words[name]} must be between ${floor} and ${authored[name]} for this service`)
  }
  return Object.fromEntries(set.map((name) => [name, wanted[name]]))
}

const truth = z
  .string()
  .nullish()
  .transform((text) => !['', '0', 'no', 'false', 'none'].includes((text ?? '').trim().toLowerCase()))
const moment = z
  .string()
  .regex(/^\d{0,12}(\.\d{1,9})?$/, 'is no time')
  .optional()

const query = (parameters: URLSearchParams) => Object.fromEntries(parameters)

const Logs = z.object({
  follow: truth,
  stdout: truth,
  stderr: truth,
  timestamps: truth,
  since: moment,
  until: moment,
  tail: z
    .string()
    .regex(/^(all|\d{1,9}|)$/, 'must be a number or all')
    .optional(),
})
export type LogsQuery = z.infer<typeof Logs>
export const parseLogs = (parameters: URLSearchParams): LogsQuery => parse(Logs, query(parameters))

export const parseFlag = (parameters: URLSearchParams, name: string, otherwise: boolean): boolean => {
  const text = parameters.get(name)
  return text === null ? otherwise : truth.parse(text)
}

/** The longest grace period of a stop, in seconds. */
const mostGraceSeconds = 10
export const parseGrace = (parameters: URLSearchParams, otherwise: number): number => {
  const text = parameters.get('t') ?? ''
  if (text === '') return otherwise
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal(400, 't must be a number of seconds')
  const seconds = Number(text)
  return seconds < 0 ? mostGraceSeconds : Math.min(seconds, mostGraceSeconds)
}

export const parseSignal = (parameters: URLSearchParams): string => {
  const signal = parameters.get('signal') || 'KILL'
  if (!/^(?:\d{1,2}|(?:SIG)?[A-Za-z]{2,6}(?:[+-]\d{1,2}|\d)?)$/.test(signal))
    throw new Refusal(400, `Invalid signal: ${signal.slice(0, 40)}`)
  return signal.toUpperCase()
}

const conditions = ['not-running', 'next-exit', 'removed'] as const
export const parseCondition = (parameters: URLSearchParams): (typeof conditions)[number] => {
  const condition = conditions.find((each) => each === (parameters.get('condition') || 'not-running'))
  if (condition === undefined) throw new Refusal(400, 'invalid condition')
  return condition
}

export const parseSize = (parameters: URLSearchParams): { readonly w: number; readonly h: number } => {
  const [w, h] = ['w', 'h'].map((name) => Number(/^\d{1,5}$/.exec(parameters.get(name) ?? '')?.[0] ?? Number.NaN)) as [number, number]
  if (!(w > 0 && w <= 1000 && h > 0 && h <= 1000)) throw new Refusal(400, 'invalid terminal size')
  return { w, h }
}

/** The values of each filter. The docker command sends lists or sets. */
export const parseFilters = (parameters: URLSearchParams): ReadonlyMap<string, readonly string[]> => {
  const text = parameters.get('filters')
  if (text === null || text === '') return new Map()
  let filters: unknown
  try {
    filters = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'invalid filters')
  }
  if (typeof filters !== 'object' || filters === null) throw new Refusal(400, 'invalid filters')
  return new Map(
    Object.entries(filters).map(([name, values]) => {
      if (typeof values !== 'object' || values === null) throw new Refusal(400, 'invalid filters')
      const list: unknown[] = Array.isArray(values) ? values : Object.keys(values)
      return [name, list.filter((value) => typeof value === 'string')]
    }),
  )
}
