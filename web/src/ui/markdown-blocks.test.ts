import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInline, parseMarkdown } from './markdown-blocks.ts'

const text = (words: string) => ({ kind: 'text', text: words })

describe('markdown', () => {
  it('is read into blocks', () => {
    const blocks = parseMarkdown(
      '# Title\n\nOne\ntwo `x`.\n\n> quoted\n> *more*\n\n- a\n  goes on\n- b\n\n| h | i |\n|---|---|\n| `a` | b |\n\n```sh\ncurl\n\n# no heading\n```\n',
    )
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, content: [text('Title')] },
      { kind: 'paragraph', content: [text('One two '), { kind: 'code', text: 'x' }, text('.')] },
      { kind: 'quote', blocks: [{ kind: 'paragraph', content: [text('quoted '), { kind: 'emphasis', text: 'more' }] }] },
      { kind: 'list', isOrdered: false, items: [[text('a goes on')], [text('b')]] },
      { kind: 'table', head: [[text('h')], [text('i')]], rows: [[[{ kind: 'code', text: 'a' }], [text('b')]]] },
      { kind: 'code', text: 'curl\n\n# no heading' },
    ])
  })

  it('leaves markup as text', () => {
    expect(parseInline('<img src=x onerror=alert(1)>')).toEqual([text('<img src=x onerror=alert(1)>')])
  })

  it('links only where a link can do no harm', () => {
    expect(parseInline('[a](https://x.example/)')).toEqual([{ kind: 'link', text: 'a', href: 'https://x.example/' }])
    for (const href of ['javascript:alert', 'data:text/html,x', '//x.example', 'vbscript:x', 'JaVaScript:x']) {
      expect(parseInline(`[a](${href})`)).toEqual([text(`[a](${href})`)])
    }
  })

  it('reads whatever it is given to its end', () => {
    const piece = fc.constantFrom('# ', '- ', '1. ', '> ', '| a |', '```', '\n', '**', '*', '`', '[', '](', ')', 'x', ' ', '|---|')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(Array.isArray(parseMarkdown(pieces.join('')))).toBe(true)
      }),
    )
  })

  it('reads every brief of the catalog without leaving a mark behind', () => {
    const folder = join(import.meta.dirname, '../../../scenarios')
    for (const number of Array.from({ length: 14 }, (_, index) => String(index + 1).padStart(2, '0'))) {
      const blocks = parseMarkdown(readFileSync(join(folder, `scenario-${number}`, 'brief.md'), 'utf8'))
      expect(blocks[0]?.kind).toBe('heading')
      const words = JSON.stringify(blocks.filter(({ kind }) => kind !== 'code'))
      expect(words).not.toMatch(/\*\*|```/)
    }
  })
})
