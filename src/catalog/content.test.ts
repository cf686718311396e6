import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCursors } from '../cursor.ts'
import type { Catalog } from './catalog.ts'
import { type Content, loadContent } from './content.ts'
import { createPages } from './pages.ts'

const shipped = join(import.meta.dirname, '../../content')
let folder: string
let content: Content

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-content-'))
  for (const name of ['glossary.yaml', 'plans.yaml', 'credit-packs.yaml']) await copyFile(join(shipped, name), join(folder, name))
  content = await loadContent(shipped)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('what is shipped', () => {
  it('has at least 60 terms, some in every domain, each in whole sentences', () => {
    expect(content.glossary.length).toBeGreaterThanOrEqual(60)
    expect(new Set(content.glossary.map(({ domain }) => domain)).size).toBe(8)
    for (const { definition } of content.glossary) expect(definition).toMatch(/^[A-Z`0-9].*[.`)]$/s)
  })

  it('offers the two plans of the specification', () => {
    expect(content.plans.map(({ id }) => id)).toEqual(['pro_monthly', 'founding_pass'])
    expect(content.creditPacks.length).toBeGreaterThan(0)
  })
})

describe('mistakes are named with their place', () => {
  const term = (slug: string, extra = '') =>
    `  - slug: ${slug}\n    term: T\n    domain: cloud\n    definition: ${'Long enough to say something. '.repeat(3)}\n${extra}`
  it.each([
    ['a slug twice', `terms:\n${term('one')}${term('one')}`, /glossary.yaml:6:11 slug: is used twice/],
    ['a reference to nothing', `terms:\n${term('one', '    see_also: [two]\n')}`, /glossary.yaml:6:15 see_also: two is not another entry/],
    ['a reference to itself', `terms:\n${term('one', '    see_also: [one]\n')}`, /see_also: one is not another entry/],
    ['an unknown key', `terms:\n${term('one', '    colour: red\n')}`, /colour: is not a known key/],
    ['an unknown domain', `terms:\n${term('one').replace('cloud', 'sky')}`, /domain/],
    ['no YAML', 'terms: [', /glossary.yaml:\d+:\d+/],
    ['nothing', '', /glossary.yaml:1:1/],
  ])('%s', async (_name, text, expected) => {
    await writeFile(join(folder, 'glossary.yaml'), text)
    await expect(loadContent(folder)).rejects.toThrow(expected)
  })
})

describe('pages of courses', () => {
  const courses = ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({
    course: { id, tier: index % 2 ? 'expert' : 'beginner', domain: 'cloud' },
  }))
  const pages = createPages(
    { scenarios: courses } as unknown as Catalog,
    { glossary: [], plans: [], creditPacks: [] },
    createCursors('s'.repeat(32)),
  )
  const list = (query: object) => pages.courses({ limit: 2, ...query } as never)

  it('go on where the one before ended', () => {
    const first = list({})
    expect(first).toMatchObject({ items: [{ id: 'a' }, { id: 'b' }], has_more: true, total_count: 5 })
    const second = list({ cursor: first.next_cursor })
    const third = list({ cursor: second.next_cursor })
    expect([...second.items, ...third.items].map(({ id }) => id)).toEqual(['c', 'd', 'e'])
    expect([third.has_more, third.next_cursor]).toEqual([false, null])
  })

  it('keep to their filters', () => {
    const first = list({ tier: 'beginner' })
    expect(first).toMatchObject({ items: [{ id: 'a' }, { id: 'c' }], total_count: 3 })
    expect(list({ tier: 'beginner', cursor: first.next_cursor }).items.map(({ id }) => id)).toEqual(['e'])
    for (const query of [{}, { tier: 'expert' }, { tier: 'beginner', domain: 'cloud' }]) {
      expect(() => list({ ...query, cursor: first.next_cursor })).toThrow('cursor: is not one of this list')
    }
  })

  it('tell what the filters can be, and how many courses each would show', () => {
    const tiers = (beginner: number, intermediate: number, advanced: number, expert: number) =>
      Object.entries({ beginner, intermediate, advanced, expert }).map(([name, count]) => ({ name, count }))
    expect(list({}).facets).toEqual({ tiers: tiers(3, 0, 0, 2), domains: [{ name: 'cloud', count: 5 }] })
    expect(list({ tier: 'expert' }).facets).toEqual({ tiers: tiers(3, 0, 0, 2), domains: [{ name: 'cloud', count: 2 }] })
  })

  it('find a domain in any case, under one cursor, and name those that there are', () => {
    const first = list({ domain: 'CLOUD' })
    expect(first).toMatchObject({ items: [{ id: 'a' }, { id: 'b' }], total_count: 5 })
    expect(list({ domain: 'Cloud', cursor: first.next_cursor }).items.map(({ id }) => id)).toEqual(['c', 'd'])
    expect(() => list({ domain: 'clouds' })).toThrow('domain: must be one of cloud; did you mean `cloud`?')
  })

  it('take no cursor of another installation, and none that was bent', () => {
    const { next_cursor } = createPages(
      { scenarios: courses } as unknown as Catalog,
      { glossary: [], plans: [], creditPacks: [] },
      createCursors('t'.repeat(32)),
    ).courses({ limit: 2 })
    const bent = Array.from(
      next_cursor as string,
      (letter, index) => (next_cursor as string).slice(0, index) + (letter === 'A' ? 'B' : 'A') + (next_cursor as string).slice(index + 1),
    )
    for (const cursor of [next_cursor, ...bent, '', '%', 'é', 'A'.repeat(500)]) expect(() => list({ cursor })).toThrow('cursor')
  })
})
