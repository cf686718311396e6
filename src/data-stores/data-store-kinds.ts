// Every kind of data store, found by its place: a file below kinds/ is one, by its name.

import { kindsBelow } from '../kinds-below.ts'
import type { DataStoreKind } from './data-store-kind.ts'

/** In the order of their names. */
export const dataStoreKinds = await kindsBelow<DataStoreKind<unknown>>(import.meta.dirname)
