// The configuration: LAB_* environment variables, parsed once. The only reader of process.env. Which there are is defined in
// settings.ts and contract/limits.ts.

import { cpus, totalmem } from 'node:os'
import { z } from 'zod'
import { closestWord } from './closest-word.ts'
import type { Limits } from './configured-limits.ts'
import { type Limit, type LimitValues, limitDefinitions } from './contract/limits.ts'
import { LabError } from './errors.ts'
import { type Setting, type SettingValues, settings, whole } from './settings.ts'
import { inWords, summarizeIssues } from './validation-messages.ts'

const machine = () => ({ memoryBytes: totalmem(), cores: cpus().length })

const settingOf = (limit: Limit): Setting => {
  const { least, most, words, default: usual } = limit
  return { ...limit, schema: whole(least, most, words).default(() => (typeof usual === 'number' ? usual : usual(machine()))) }
}

const limitSettings: readonly [string, Setting][] = Object.entries(limitDefinitions).map(([name, limit]) => [name, settingOf(limit)])

/** Every LAB_* variable there is. */
export const allSettings: readonly Setting[] = [...Object.values(settings), ...limitSettings.map(([, setting]) => setting)]

const schema = z.object(Object.fromEntries(allSettings.map((setting) => [setting.env, setting.schema])))

export interface Config extends Omit<SettingValues, 'ratesAnonymous' | 'ratesAccount' | 'engineDir'> {
  readonly limits: Limits
  /** Where the container engine listens, when the environment says so. */
  readonly dockerHost: string | undefined
  /** The folder of a container engine of our own; undefined where another is used. */
  readonly engineDir: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const parseEnvironment = (environment: Environment): Readonly<Record<string, unknown>> => {
  const given = Object.fromEntries(Object.entries(environment).filter(([name, value]) => name.startsWith('LAB_') && value !== undefined))
  const known = allSettings.map(({ env }) => env)
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.shape, name))
  if (unknown.length > 0) {
    const near = unknown.flatMap((name) => closestWord(name, known) ?? [])
    throw new LabError('invalid_request', `unknown configuration: ${unknown.join(', ')}`, {
      hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : './lab config lists the names that exist',
    })
  }
  const parsed = schema.safeParse(given, { error: inWords })
  if (parsed.success) return parsed.data
  throw new LabError('invalid_request', `invalid configuration: ${summarizeIssues(parsed.error.issues, 'environment').summary}`)
}

/** The values of settings by their names in the configuration. */
const named = (definitions: readonly (readonly [string, Setting])[], values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(definitions.map(([name, { env }]) => [name, values[env]]))

export const readConfig = (overrides: Environment = {}, environment: Environment = process.env): Config => {
  const merged = { ...environment, ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)) }
  const values = parseEnvironment(merged)
  const { ratesAnonymous, ratesAccount, engineDir, ...plain } = named(Object.entries(settings), values) as SettingValues
  const limits = named(limitSettings, values) as LimitValues
  return {
    ...plain,
    limits: { ...limits, rates: { anonymous: ratesAnonymous, account: ratesAccount } },
    dockerHost: merged.DOCKER_HOST || undefined,
    engineDir: merged.DOCKER_HOST || process.getuid?.() !== 0 ? undefined : engineDir,
  }
}

/** A value as it would be set. */
export const written = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, part]) => `${name}=${part}`)
        .join(',')
    : String(value)
}

/** Every LAB_* name with its effective value; secrets are masked. */
export const describeConfig = (overrides: Environment = {}, environment: Environment = process.env): Record<string, string> => {
  const values = parseEnvironment({ ...environment, ...overrides })
  return Object.fromEntries(
    allSettings.map(({ env, isSecret }) => {
      const value = values[env]
      if (value === undefined) return [env, '(not set)']
      return [env, isSecret ? '********' : written(value)]
    }),
  )
}

/** The environment for a child process that serves with these overrides. */
export const childEnvironment = (overrides: Environment): NodeJS.ProcessEnv => ({ ...process.env, ...overrides })

/** True where no person can answer a question. */
export const isUnattended = (): boolean => process.env.CI !== undefined || !process.stdin.isTTY
