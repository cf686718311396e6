// Data stores of a sandbox as grading sees them: described once while they were healthy, and compared with that ever after.

import type { DataStore } from '../catalog/data-store-file.ts'
import { InvalidJson, parseCheckedJson } from '../checked-json.ts'
import { StoreDescription } from '../data-stores/data-store-kind.ts'
import { unreadable } from '../probes/exit-codes.ts'
import { ScriptAnswer } from '../probes/kinds/script.ts'
import { differAll, differs, holds, type Observation, oneLine } from '../probes/observation.ts'
import type { ProbeObserver } from '../probes/probe-kind.ts'
import { Unobservable } from './observer.ts'

const describeMs = 20_000
const mostNamed = 3
/** What a store has left may shrink, but not below this share of what it had. */
const leastRoom = 0.5
/** Numbers that a sequence may give after hand-over, skipped ones included. Programs that keep numbers as doubles lose them long before it ends. */
const mostTaken = 100_000

interface Thoroughness {
  /** Whether passwords are guessed, which costs more than all the rest, and finds nothing before a user was there. */
  readonly guesses: boolean
}

/** Throws Unobservable when the store does not answer, or not in a way that can be read. */
const describeStore = async (
  observer: ProbeObserver,
  { service, program, question }: DataStore,
  thoroughness: Thoroughness,
): Promise<StoreDescription> => {
  const text = `exec python3 /opt/probe/${program}`
  const asked = { ask: 'script', text, env: {}, stdin: JSON.stringify({ ...question, ...thoroughness }), timeout_ms: describeMs }
  const { exit_code, stdout, stderr } = await observer.ask(asked, ScriptAnswer, describeMs + 5_000)
  const failed = new Unobservable(unreadable(`the data of ${service}`, exit_code, oneLine(stderr.trim().split('\n').at(-1) ?? '')))
  if (exit_code !== 0) throw failed
  try {
    return parseCheckedJson(StoreDescription, stdout)
  } catch (error) {
    throw error instanceof InvalidJson ? failed : error
  }
}

/** By service. Throws when a store is not as it should be while nothing is broken yet. */
export const describeStores = async (observer: ProbeObserver, stores: readonly DataStore[]): Promise<Record<string, StoreDescription>> =>
  Object.fromEntries(
    await Promise.all(
      stores.map(async (store) => {
        const description = await describeStore(observer, store, { guesses: false })
        if (description.wrong.length > 0) throw new Error(`${store.service} is not healthy: ${description.wrong.join('; ')}`)
        return [store.service, description] as const
      }),
    ),
  )

type Passing = Pick<DataStore, 'mayAppear' | 'mayVanish'>

/** What is wrong with a store now. */
export const compareStore = (before: StoreDescription, now: StoreDescription, { mayAppear, mayVanish }: Passing): string[] => {
  const isOne = (name: string, kinds: readonly string[]) => kinds.some((kind) => name.startsWith(`${kind} `))
  const names = [...new Set([...Object.keys(before.things), ...Object.keys(now.things)])].sort()
  const changed = names.flatMap((name) => {
    if (now.things[name] === undefined) return isOne(name, mayVanish) ? [] : [`${name} is gone`]
    if (before.things[name] === undefined) return isOne(name, mayAppear) ? [] : [`${name} is new`]
    return before.things[name] === now.things[name] ? [] : [`${name} is not as it was`]
  })
  const short = Object.entries(before.room).flatMap(([name, room]) =>
    (now.room[name] ?? 0) < room * leastRoom ? [`${name} is running out`] : [],
  )
  const leapt = Object.entries(now.taken).flatMap(([name, taken]) =>
    taken - (before.taken[name] ?? 0) > mostTaken ? [`${name} has leapt far beyond what it had given out`] : [],
  )
  return [...now.wrong, ...changed, ...short, ...leapt]
}

const summaryOf = (wrong: readonly string[]): string =>
  oneLine(wrong.slice(0, mostNamed).join('; ')) + (wrong.length > mostNamed ? `; and ${wrong.length - mostNamed} more` : '')

const observeStore = async (observer: ProbeObserver, store: DataStore, before: StoreDescription | undefined): Promise<Observation> => {
  if (before === undefined) throw new Error(`the baseline has no description of ${store.service}`)
  try {
    const wrong = compareStore(before, await describeStore(observer, store, { guesses: true }), store)
    return wrong.length === 0 ? holds(`${store.service} is as it was`) : differs(`in ${store.service}: ${summaryOf(wrong)}`)
  } catch (error) {
    if (error instanceof Unobservable) return error.observation
    throw error
  }
}

export const observeStores = async (
  observer: ProbeObserver,
  stores: readonly DataStore[],
  before: Readonly<Record<string, StoreDescription>>,
): Promise<Observation> => {
  const observations = await Promise.all(stores.map((store) => observeStore(observer, store, before[store.service])))
  const wrong = observations.filter(({ passed }) => !passed)
  return wrong.length > 0 ? differAll(wrong) : holds(observations.map(({ saw }) => saw).join('; '))
}
