// Every class of mutants, and every class of harmless changes, found by its place.

import { join } from 'node:path'
import { kindsBelow } from '../../kinds-below.ts'
import type { MutationKind } from './mutation-kind.ts'

/** In the order of their names. */
export const mutationKinds = await kindsBelow<MutationKind>(import.meta.dirname)
export const fairKinds = await kindsBelow<MutationKind>(join(import.meta.dirname, '../fairness'))
