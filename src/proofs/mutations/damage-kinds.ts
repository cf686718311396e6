// Every class of damages, found by its place.

import { kindsBelow } from '../../kinds-below.ts'
import type { ChangeKind } from '../changes/change-kind.ts'

/** In the order of their names. */
export const damageKinds = await kindsBelow<ChangeKind>(import.meta.dirname)
