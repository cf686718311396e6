// Markdown as briefs use it (headings, paragraphs, quotes, lists, tables, fences) for a terminal. Pure.

import { stripVTControlCharacters } from 'node:util'

export const bold = (text: string) => `\x1b[1m${text}\x1b[22m`
export const dim = (text: string) => `\x1b[2m${text}\x1b[22m`
export const coloured = (colour: 'red' | 'green' | 'yellow' | 'cyan', text: string) =>
  `\x1b[${{ red: 31, green: 32, yellow: 33, cyan: 36 }[colour]}m${text}\x1b[39m`
const italic = (text: string) => `\x1b[3m${text}\x1b[23m`

export const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length
export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

const eachWord = (text: string, style: (word: string) => string) => text.split(' ').map(style).join(' ')

/** Styles word by word, so that a line may break anywhere. */
export const inline = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`')
        ? eachWord(part.slice(1, -1), (word) => coloured('cyan', word))
        : part
            .replace(/\*\*([^*]+)\*\*/g, (_, words: string) => eachWord(words, bold))
            .replace(/\*([^*]+)\*/g, (_, words: string) => eachWord(words, italic)),
    )
    .join('')

/** A plain word that is wider than a line, in pieces. */
const pieces = (word: string, width: number): string[] =>
  widthOf(word) <= width || widthOf(word) < word.length ? [word] : (word.match(new RegExp(`.{1,${Math.max(1, width)}}`, 'g')) ?? [])

/** Breaks at spaces; every line after the first starts with `indent`. */
export const wrap = (text: string, width: number, first = '', indent = ' '.repeat(widthOf(first))): string[] => {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  const words = text.split(/\s+/).filter(Boolean)
  for (const word of words.flatMap((word) => pieces(word, width - widthOf(indent)))) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = indent
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

const table = (rows: readonly string[], width: number): string[] => {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]+\|$/.test(row))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => inline(cell.trim())),
    )
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))))
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
  if (kind === 'heading') return [eachWord(joined.replace(/^#+ /, ''), bold)]
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
