// Markdown as briefs use it (headings, paragraphs, quotes, lists, tables, fences) for a terminal. Pure.

import stringWidth from 'string-width'
import { padTo, wrap } from '../lib/columns.ts'

export const bold = (text: string) => `\x1b[1m${text}\x1b[22m`
export const dim = (text: string) => `\x1b[2m${text}\x1b[22m`
export const coloured = (colour: 'red' | 'green' | 'yellow' | 'cyan', text: string) =>
  `\x1b[${{ red: 31, green: 32, yellow: 33, cyan: 36 }[colour]}m${text}\x1b[39m`
const italic = (text: string) => `\x1b[3m${text}\x1b[23m`

export const inline = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`')
        ? coloured('cyan', part.slice(1, -1))
        : part.replace(/\*\*([^*]+)\*\*/g, (_, words: string) => bold(words)).replace(/\*([^*]+)\*/g, (_, words: string) => italic(words)),
    )
    .join('')

const table = (rows: readonly string[], width: number): string[] => {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]+\|$/.test(row))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => inline(cell.trim())),
    )
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => stringWidth(row[column] ?? ''))))
  return cells.flatMap((row, index) => {
    const lead = row.slice(0, -1).map((cell, column) => `${padTo(cell, widths[column] ?? 0)}  `)
    const lines = wrap(row.at(-1) ?? '', width, `  ${lead.join('')}`)
    return index === 0 ? lines.map(dim) : lines
  })
}

type Kind = 'fence' | 'heading' | 'quote' | 'table' | 'item' | 'blank' | 'text'

const kindOf = (line: string): Kind => {
  if (line.startsWith('```')) return 'fence'
  if (/^#+ /.test(line)) return 'heading'
  if (line.startsWith('>')) return 'quote'
  if (line.startsWith('|')) return 'table'
  if (line.startsWith('- ')) return 'item'
  return line.trim() === '' ? 'blank' : 'text'
}

/** Takes the lines that belong together off the front. */
const takeBlock = (lines: string[]): { kind: Kind; block: string[] } => {
  const block = [lines.shift() as string]
  const kind = kindOf(block[0] as string)
  const goesOn = (next: string): boolean => {
    if (kind === 'fence') return !next.startsWith('```')
    if (kind === 'item' || kind === 'text') return kindOf(next) === 'text'
    return (kind === 'quote' || kind === 'table') && kindOf(next) === kind
  }
  while (lines.length > 0 && goesOn(lines[0] as string)) block.push(lines.shift() as string)
  if (kind === 'fence') lines.shift()
  return { kind, block }
}

const renderBlock = (kind: Kind, block: readonly string[], width: number): string[] => {
  const joined = block.join(' ')
  if (kind === 'fence') return block.slice(1).map((line) => `    ${coloured('cyan', line)}`)
  if (kind === 'heading') return [bold(joined.replace(/^#+ /, ''))]
  if (kind === 'quote') return wrap(inline(block.map((line) => line.slice(1)).join(' ')), width, dim('│ '), dim('│ '))
  if (kind === 'table') return table(block, width)
  if (kind === 'item') return wrap(inline(joined.slice(2)), width, '• ')
  return kind === 'blank' ? [''] : wrap(inline(joined), width)
}

export const renderMarkdown = (markdown: string, width: number): string => {
  const lines = markdown.trim().split('\n')
  const rendered: string[] = []
  while (lines.length > 0) {
    const { kind, block } = takeBlock(lines)
    rendered.push(...renderBlock(kind, block, width))
  }
  return rendered.join('\n')
}
