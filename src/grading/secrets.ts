// Secrets that lie open: parameters of the scenario, and files of keys that only some could read in the healthy system. What lay open then
// is nobody's harm; what a user opened, copied, logged or passed as an argument is. Only what everybody may read counts, except for keys
// that the scenario keeps on one machine.

import { z } from 'zod'
import { anyRecord } from '../any-record.ts'
import type { ScenarioInstance } from '../catalog/scenario-instance.ts'
import { differAll, differs, holds, type Observation, oneLine } from '../probes/observation.ts'
import { type Observer, Unobservable } from './observer.ts'

const KeyFile = z.object({ size: z.int(), digest: z.string(), content: z.string().nullable() })

/** Of a service while it was healthy. */
export const OpenSecrets = z.object({
  /** Names of the secrets that everybody could read in some file. */
  files: z.array(z.string()),
  /** Names of the secrets that stood in the arguments of some program. */
  arguments: z.array(z.string()),
  /** Files of keys and passwords that not everybody could read, by path. */
  keys: anyRecord(KeyFile),
  /** Private keys that stay on this machine, as they were. */
  private: z.array(z.string()),
})
export type OpenSecrets = Readonly<z.infer<typeof OpenSecrets>>

const SecretsAnswer = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      readable: z.boolean(),
      values: z.array(z.int()),
      copies: z.array(z.string()),
      dump: z.boolean(),
      private: z.boolean(),
    }),
  ),
  arguments: z.array(z.object({ executable: z.string(), values: z.array(z.int()) })),
  opened: z.array(z.string()),
  keys: anyRecord(KeyFile),
})
export type SecretsSeen = z.infer<typeof SecretsAnswer>
const PrivateKeysAnswer = z.object({ keys: z.array(z.string()) })

export type SecretsOf = Pick<ScenarioInstance, 'secrets' | 'private' | 'watched'>
type Before = Readonly<Record<string, OpenSecrets>>

const mostNamed = 3
const mostPaths = 20_000

/** What is looked for, in the words of the inspector, which tells each by its place: the names are in the same order. */
const wantedOf = ({ secrets, private: patterns }: SecretsOf) => ({
  names: [...secrets.map(({ name }) => name), ...Object.keys(patterns)],
  question: { inspection: 'secrets', values: secrets.map(({ value }) => value), patterns: Object.values(patterns) },
})

/** Files of a service that its image has not, or otherwise; null where there are too many. */
const changedPaths = async (observer: Observer, service: string): Promise<string[] | null> => {
  const changes = await observer.changes(service)
  if (changes === null || changes.length > mostPaths) return null
  return changes.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path)
}

/** Private keys that stay on a machine, by service. */
const privateKeys = async (observer: Observer, watched: SecretsOf['watched']): Promise<ReadonlyMap<string, string[]>> =>
  new Map(
    await Promise.all(
      Object.entries(watched)
        .filter(([, { keys }]) => keys.length > 0)
        .map(async ([service, { keys }]) => {
          const question = { inspection: 'private_keys', paths: keys }
          return [service, (await observer.inspect(service, question, PrivateKeysAnswer)).keys] as const
        }),
    ),
  )

/** By service, while nothing is broken yet. */
export const describeSecrets = async (observer: Observer, instance: SecretsOf): Promise<Record<string, OpenSecrets>> => {
  const { names, question } = wantedOf(instance)
  const namesOf = (found: readonly { readonly values: readonly number[] }[]) => [
    ...new Set(found.flatMap(({ values }) => values).map((at) => names[at] ?? '')),
  ]
  const kept = await privateKeys(observer, instance.watched)
  return Object.fromEntries(
    await Promise.all(
      Object.keys(instance.watched).map(async (service) => {
        const own = kept.get(service)
        if (own?.length === 0) throw new Error(`${service} has no key in the files that its scenario names`)
        const paths = await changedPaths(observer, service)
        if (paths === null) throw new Error(`${service} has too many files that are not of its image`)
        const seen = await observer.inspect(service, { ...question, paths, collect: true }, SecretsAnswer)
        return [service, { files: namesOf(seen.files), arguments: namesOf(seen.arguments), keys: seen.keys, private: own ?? [] }] as const
      }),
    ),
  )
}

/** What lies open in a service and did not before. */
export const compareSecrets = (service: string, names: readonly string[], before: OpenSecrets, now: SecretsSeen): string[] => {
  const nameOf = (at: number) => names[at] ?? ''
  const open = now.files.flatMap(({ path, readable, values, copies, dump, private: isPrivate }) => {
    if (now.opened.includes(path)) return []
    const place = `${oneLine(path)} of ${service}`
    const told = values.map(nameOf).filter((name) => !before.files.includes(name))
    return [
      ...(isPrivate ? [`a key that belongs elsewhere is in ${place}`] : []),
      ...(dump ? [`a dump of a database can be read by everybody in ${place}`] : []),
      ...copies.map((key) => `what ${key} keeps can be read by everybody in ${place}`),
      ...told.map((name) => (readable ? `${name} can be read by everybody in ${place}` : `${name} stands in the log ${place}`)),
    ]
  })
  const passed = now.arguments.flatMap(({ executable, values }) =>
    values
      .map(nameOf)
      .filter((name) => !before.arguments.includes(name))
      .map((name) => `${name} is an argument of ${oneLine(executable)} in ${service}, for everybody to see`),
  )
  return [...now.opened.map((path) => `everybody may read ${path} of ${service}`), ...open, ...passed]
}

const unobservableOr = (error: unknown): Observation => {
  if (error instanceof Unobservable) return error.observation
  throw error
}

export const observeSecrets = async (observer: Observer, instance: SecretsOf, before: Before): Promise<Observation> => {
  const { names, question } = wantedOf(instance)
  const keys = Object.entries(before).flatMap(([service, { keys }]) =>
    Object.entries(keys).map(([path, key]) => ({ name: `${path} of ${service}`, ...key })),
  )
  const look = async (service: string, own: OpenSecrets, kept: ReadonlyMap<string, readonly string[]>): Promise<string[]> => {
    const paths = await changedPaths(observer, service)
    if (paths === null) return [`${service} has too many changed files to check`]
    const elsewhere = Object.entries(before).filter(([other]) => other !== service)
    const foreign = elsewhere.flatMap(([other, { private: healthy }]) => [...healthy, ...(kept.get(other) ?? [])])
    const order = { ...question, paths, keys, private: [...new Set(foreign)], closed: Object.keys(own.keys) }
    return compareSecrets(service, names, own, await observer.inspect(service, order, SecretsAnswer))
  }
  try {
    const kept = await privateKeys(observer, instance.watched)
    const observations = await Promise.all(
      Object.entries(before).map(async ([service, own]) => {
        try {
          const wrong = await look(service, own, kept)
          const more = wrong.length > mostNamed ? `; and ${wrong.length - mostNamed} more` : ''
          return wrong.length === 0 ? holds('no secret lies open') : differs(wrong.slice(0, mostNamed).join('; ') + more)
        } catch (error) {
          return unobservableOr(error)
        }
      }),
    )
    const wrong = observations.filter(({ passed }) => !passed)
    return wrong.length > 0 ? differAll(wrong) : holds('no secret lies open')
  } catch (error) {
    return unobservableOr(error)
  }
}
