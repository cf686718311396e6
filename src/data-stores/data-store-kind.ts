// The types of a kind of data store: what grading knows of PostgreSQL and the like, so that no scenario has to. Each kind is one file
// below kinds/, and one program of the probe image that describes a running store.

import { z } from 'zod'
import { anyRecord } from '../any-record.ts'

/** What the program of a kind prints. A sandbox may have written any part of it. */
export const StoreDescription = z.object({
  /** A digest of each thing that must stay as it was: a role, a table, a setting. */
  things: anyRecord(z.string()),
  /** How much is left of what may shrink, but not run out. */
  room: anyRecord(z.number()).prefault({}),
  /** How many numbers each sequence has given. */
  taken: anyRecord(z.number()).prefault({}),
  /** What is wrong whatever it was like before. */
  wrong: z.array(z.string()).default([]),
})
export type StoreDescription = Readonly<z.infer<typeof StoreDescription>>

export interface DataStoreKind<Spec> {
  /** What grading sees to: a row of the table in docs/authoring.md. */
  readonly seesTo: string
  /** What an author writes; every key has a description. */
  readonly schema: z.ZodType<Spec>
  /** The program in the probe image; it reads the question, as JSON, from its standard input. */
  readonly program: string
  readonly question: (service: string, spec: Spec) => object
  /** The program that prints the rows which a query finds, where the kind has queries; it reads the question with `query` added. */
  readonly rowsProgram?: string
  /** The first words of things that may appear: a new index does no harm. */
  readonly mayAppear: readonly string[]
  /** The first words of things that may be gone: what comes and goes by itself, and is compared while it is there. */
  readonly mayVanish?: readonly string[]
}

/** Infers what an author writes from the schema. */
export const dataStoreKind = <Spec>(kind: DataStoreKind<Spec>): DataStoreKind<Spec> => kind
