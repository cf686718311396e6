// Draws changes from the candidates of all classes by a seed: one of each class in turn. The weight of a candidate counts only within its class.

import type { Change, ChangeKind, Subject } from './change-kind.ts'
import { type Random, randomFrom } from './random.ts'

/** Every candidate of every class. A name is used once: the first stands. */
export const candidatesOf = (kinds: ReadonlyMap<string, ChangeKind>, subject: Subject, seed: string): Change[] => {
  const found = [...kinds].flatMap(([name, { candidates }]) =>
    candidates(subject, randomFrom(`${seed}\0${name}`)).map(
      (candidate): Change => ({ ...candidate, name: `${name}: ${candidate.name}`, class: name }),
    ),
  )
  return [...new Map(found.toReversed().map((change) => [change.name, change])).values()].toReversed()
}

/** The heavier ones come first more often. */
const rankOf = (random: Random, { name, weight = 1 }: Change): number => random(name) ** (1 / weight)

/** All that match, in the order in which they are tried: one of each class, in an order of the seed's, then the next of each. */
export const orderOf = (candidates: readonly Change[], seed: string, only = ''): Change[] => {
  const random = randomFrom(seed)
  const byClass = [
    ...Map.groupBy(
      candidates.filter(({ name }) => name.includes(only)),
      (change) => change.class,
    ).values(),
  ].map((changes) => changes.toSorted((one, other) => rankOf(random, other) - rankOf(random, one)))
  const classes = byClass.toSorted(([one], [other]) => random(one?.class ?? '') - random(other?.class ?? ''))
  const most = Math.max(0, ...byClass.map(({ length }) => length))
  return Array.from({ length: most }, (_, round) => classes.flatMap((changes) => changes.slice(round, round + 1))).flat()
}
