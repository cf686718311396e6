// Every kind of probe, found by its place: a file below kinds/ is one, by its name.

import { kindsBelow } from '../kinds-below.ts'
import type { ProbeKind } from './probe-kind.ts'

/** In the order of their names. */
export const probeKinds = await kindsBelow<ProbeKind<unknown>>(import.meta.dirname)

/** `{ http: … }`: the only key is the name of a kind, and what stands there fits its schema. */
export type LeafProbe = object

export interface Leaf {
  readonly name: string
  readonly kind: ProbeKind<unknown>
  readonly spec: unknown
}

export const leafOf = (probe: LeafProbe): Leaf => {
  const [name = '', spec] = Object.entries(probe)[0] ?? []
  const kind = probeKinds.get(name)
  if (kind === undefined) throw new Error(`${name} is not a kind of probe`)
  return { name, kind, spec }
}
