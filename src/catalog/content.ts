// Loads content/: the glossary, the plans and the credit packs. An error in a file keeps the server from starting.

import { join } from 'node:path'
import { z } from 'zod'
import { type GlossaryEntry, GlossaryFile } from '../contract/glossary.ts'
import { type CreditPack, CreditPackFile, type Plan, PlanFile } from '../contract/offers.ts'
import { readYaml, SourceError, type YamlSource } from './yaml-source.ts'

/** The files, each with the shape that it must have; editors get the same as JSON Schema. */
export const contentShapes = { glossary: GlossaryFile, plans: PlanFile, 'credit-packs': CreditPackFile } as const

export interface Content {
  readonly plans: readonly Plan[]
  readonly creditPacks: readonly CreditPack[]
  /** In the order of the slugs. */
  readonly glossary: readonly GlossaryEntry[]
}

const refuseTwins = (source: YamlSource, list: string, key: string, entries: readonly Readonly<Record<string, unknown>>[]) => {
  const twins = entries.flatMap((entry, index) => (entries.findIndex((other) => other[key] === entry[key]) < index ? [index] : []))
  if (twins.length > 0) throw new SourceError(twins.map((index) => source.problemAt([list, index, key], `${key}: is used twice`)))
}

const readGlossary = async (file: string): Promise<GlossaryEntry[]> => {
  const source = await readYaml(file)
  const { terms } = source.check(GlossaryFile, source.raw)
  refuseTwins(source, 'terms', 'slug', terms)
  const slugs = new Set(terms.map(({ slug }) => slug))
  const lost = terms.flatMap(({ slug, see_also }, index) =>
    see_also
      .filter((other) => other === slug || !slugs.has(other))
      .map((other) => source.problemAt(['terms', index, 'see_also'], `see_also: ${other} is not another entry`)),
  )
  if (lost.length > 0) throw new SourceError(lost)
  return terms.toSorted((one, other) => (one.slug < other.slug ? -1 : 1))
}

const readOffers = async <Entry extends { id: string }, List extends string>(
  file: string,
  shape: z.ZodType<Record<List, Entry[]>>,
  list: List,
): Promise<Entry[]> => {
  const source = await readYaml(file)
  const entries = source.check(shape, source.raw)[list]
  refuseTwins(source, list, 'id', entries)
  return entries
}

/** Throws SourceError with the place of every mistake. */
export const loadContent = async (folder: string): Promise<Content> => {
  const [glossary, plans, creditPacks] = await Promise.all([
    readGlossary(join(folder, 'glossary.yaml')),
    readOffers<Plan, 'plans'>(join(folder, 'plans.yaml'), PlanFile, 'plans'),
    readOffers<CreditPack, 'packs'>(join(folder, 'credit-packs.yaml'), CreditPackFile, 'packs'),
  ])
  return { glossary, plans, creditPacks }
}

/** The JSON Schema of each file, for editors, by the name of its file. */
export const contentJsonSchemas = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(contentShapes).map(([name, shape]) => [`${name}.schema.json`, z.toJSONSchema(shape, { io: 'input' })]))
