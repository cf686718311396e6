// The schema of probes in scenario.yaml: the kinds of probe, each found below src/probes/kinds/, and how they are combined.

import { z } from 'zod'
import { type Leaf, type LeafProbe, leafOf, probeKinds } from '../probes/probe-kinds.ts'

export type Probe =
  | LeafProbe
  | { readonly all: readonly Probe[] }
  | { readonly any: readonly Probe[] }
  | { readonly not: Probe }
  | { readonly retry: { readonly within_ms: number; readonly probe: Probe } }

const part: z.ZodType<Probe> = z.lazy(() => Probe)

const combinations = {
  all: z.array(part).min(1).describe('Every one of these probes must hold.'),
  any: z.array(part).min(1).describe('One of these probes must hold.'),
  not: part.describe('This probe must not hold. What cannot be seen holds neither way.'),
  retry: z
    .strictObject({
      within_ms: z.int().min(100).max(20_000).describe('For how long it is tried, in milliseconds.'),
      probe: part.describe('What must hold in the end.'),
    })
    .describe('Tries a probe again until it holds.'),
}

const leaves = Object.fromEntries([...probeKinds].map(([name, { schema, looksAt }]) => [name, schema.describe(`Looks at ${looksAt}.`)]))
const shapes = { ...leaves, ...combinations }
const keysOf = (input: unknown): string[] =>
  typeof input === 'object' && input !== null ? Object.keys(input) : [input ?? []].flat().map(String)

export const Probe: z.ZodType<Probe> = z
  .union(
    Object.entries(shapes).map(([name, shape]) => z.strictObject({ [name]: shape })),
    { error: ({ input }) => `is not a probe (one of ${Object.keys(shapes).join(', ')}): ${keysOf(input).join(', ') || 'empty'}` },
  )
  .describe('What to look at, and what must be seen there: one kind of probe, or a combination of several.')

/** Every leaf in a tree. */
export const leavesOf = (probe: Probe): Leaf[] => {
  if ('all' in probe) return probe.all.flatMap(leavesOf)
  if ('any' in probe) return probe.any.flatMap(leavesOf)
  if ('not' in probe) return leavesOf(probe.not)
  if ('retry' in probe) return leavesOf(probe.retry.probe)
  return [leafOf(probe)]
}
