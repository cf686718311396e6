import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allSettings } from '../../config.ts'
import { root } from '../../project-folders.ts'
import { generatedTables, staleTables, table, withTable } from './generated-tables.ts'

const tables = await generatedTables(root)

describe('what is made from the data', () => {
  it('is as ./lab lint --write-docs writes it', async () => {
    expect(tables.length).toBeGreaterThan(3)
    expect(await staleTables(root)).toEqual([])
  })

  it('leaves no setting out', async () => {
    const document = await readFile(join(root, 'docs/operations.md'), 'utf8')
    expect(allSettings.filter(({ env }) => !document.includes(`| \`${env}\` |`))).toEqual([])
  })

  it('is the same on every machine', () => {
    const made = tables.map(({ text }) => text).join('\n')
    expect(made).not.toContain(root)
  })
})

describe('the documents', () => {
  const pages = globSync('*.md', { cwd: root }).concat(globSync('docs/**/*.md', { cwd: root }))

  it.each(pages)('%s links to what there is', async (page) => {
    const text = await readFile(join(root, page), 'utf8')
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to).filter((to) => !/^[a-z]+:/.test(to))
    expect(links.filter((to) => !existsSync(join(root, dirname(page), to)))).toEqual([])
  })

  it('are all on the map in the README', async () => {
    const map = (await readFile(join(root, 'README.md'), 'utf8')).split('## The documents')[1] ?? ''
    expect(pages.filter((page) => page !== 'README.md' && !page.startsWith('docs/adr/') && !map.includes(`(${page})`))).toEqual([])
  })
})

describe('a generated table', () => {
  const generated = { file: 'a.md', name: 'list', text: '| new |' }

  it('takes the place of what was between its marks', () => {
    const document = 'before\n<!-- list: made by ./lab lint --write-docs -->\nold\n<!-- /list -->\nafter\n'
    const made = withTable(document, generated)
    expect(made).toBe('before\n<!-- list: made by ./lab lint --write-docs -->\n\n| new |\n\n<!-- /list -->\nafter\n')
    expect(withTable(made, generated)).toBe(made)
  })

  it('wants its marks', () => {
    expect(() => withTable('<!-- /list --> <!-- list: made by ./lab lint --write-docs -->', generated)).toThrow('a.md has no <!-- list')
  })

  it('keeps a cell in one cell', () => {
    expect(table(['a'], [['b|c\nd']])).toBe('| a |\n|---|\n| b\\|c d |')
  })
})
