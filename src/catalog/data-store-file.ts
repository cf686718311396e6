// The schema of the data stores in scenario.yaml: the kinds of them, each found below src/data-stores/kinds/.

import { z } from 'zod'
import { dataStoreKinds } from '../data-stores/data-store-kinds.ts'

const names = [...dataStoreKinds.keys()].join(', ')

/** `{ postgres: … }`: the only key is the name of a kind. */
export const dataStore = z.union(
  [...dataStoreKinds].map(([name, { schema, seesTo }]) => z.strictObject({ [name]: schema.describe(`Sees to ${seesTo}.`) })),
  { error: `is not a data store (one of ${names})` },
)

/** Whether a store as it is written shows rows. */
export const canBeQueried = (store: object | undefined): boolean =>
  Object.keys(store ?? {}).some((kind) => dataStoreKinds.get(kind)?.rowsProgram !== undefined)

export interface DataStore {
  readonly service: string
  /** The name of its kind, such as postgres. */
  readonly kind: string
  readonly program: string
  readonly rowsProgram: string | undefined
  readonly question: object
  readonly mayAppear: readonly string[]
  readonly mayVanish: readonly string[]
}

export const dataStoresOf = (stores: Readonly<Record<string, z.infer<typeof dataStore>>>): DataStore[] =>
  Object.entries(stores).flatMap(([service, spec]) =>
    Object.entries(spec).map(([name, written]) => {
      const kind = dataStoreKinds.get(name)
      if (kind === undefined) throw new Error(`${name} is not a kind of data store`)
      const { program, rowsProgram, mayAppear, mayVanish = [] } = kind
      return { service, kind: name, program, rowsProgram, question: kind.question(service, written), mayAppear, mayVanish }
    }),
  )
