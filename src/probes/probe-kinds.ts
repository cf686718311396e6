// Every kind of probe, found by its place: a file below kinds/ is one, by its name.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ProbeKind } from './probe-kind.ts'

const folder = join(import.meta.dirname, 'kinds')

const load = async (file: string): Promise<[string, ProbeKind<unknown>]> => {
  const { kind } = (await import(pathToFileURL(join(folder, file)).href)) as { kind: ProbeKind<unknown> }
  return [file.slice(0, -'.ts'.length), kind]
}

const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))

/** In the order of their names. */
export const probeKinds: ReadonlyMap<string, ProbeKind<unknown>> = new Map(await Promise.all(files.sort().map(load)))

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
