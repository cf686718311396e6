// Markdown as briefs use it, as data: headings, paragraphs, quotes, lists, tables and code. Whatever else an author writes is text. Pure.

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'table'; readonly head: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly kind: 'code'; readonly text: string }

const inlinePattern = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^()\s]+)\)/g

/** A link leads to a page of this service, or to another by http; anything else, such as javascript:, is text. */
const isSafe = (href: string): boolean => /^(?:https?:\/\/|\/(?!\/)|#)/i.test(href)

export const parseInline = (text: string): Inline[] => {
  const parts: Inline[] = []
  let end = 0
  const addText = (words: string) => {
    if (words !== '') parts.push({ kind: 'text', text: words })
  }
  for (const match of text.matchAll(inlinePattern)) {
    const [whole, code, strong, emphasis, label, href] = match
    addText(text.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong })
    else if (emphasis !== undefined) parts.push({ kind: 'emphasis', text: emphasis })
    else if (label !== undefined && href !== undefined && isSafe(href)) parts.push({ kind: 'link', text: label, href })
    else addText(whole)
  }
  addText(text.slice(end))
  return parts
}

const cellsOf = (row: string): Inline[][] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => parseInline(cell.trim()))

const isRule = (row: string) => /^\|[\s:|-]+\|$/.test(row)
const itemPattern = /^(?:[-*]|\d+\.) +/
const startsBlock = (line: string) => line.trim() === '' || /^(?:```|#{1,6} |>|\|)/.test(line) || itemPattern.test(line)

/** Takes lines off the front as long as they fit. */
const takeWhile = (lines: string[], fits: (line: string) => boolean): string[] => {
  const end = lines.findIndex((line) => !fits(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

const takeList = (lines: string[]): Block => {
  const isOrdered = /^\d/.test(lines[0] as string)
  const items: Inline[][] = []
  while (lines.length > 0 && itemPattern.test(lines[0] as string)) {
    const first = (lines.shift() as string).replace(itemPattern, '')
    const rest = takeWhile(lines, (line) => !startsBlock(line))
    items.push(parseInline([first, ...rest.map((line) => line.trim())].join(' ')))
  }
  return { kind: 'list', isOrdered, items }
}

const takeBlock = (lines: string[]): Block => {
  const line = lines[0] as string
  const heading = /^(#{1,6}) +(.*)$/.exec(line)
  if (heading !== null) {
    lines.shift()
    return { kind: 'heading', level: (heading[1] as string).length, content: parseInline(heading[2] as string) }
  }
  if (line.startsWith('```')) {
    lines.shift()
    const code = takeWhile(lines, (next) => !next.startsWith('```'))
    lines.shift()
    return { kind: 'code', text: code.join('\n') }
  }
  if (line.startsWith('>')) {
    const quoted = takeWhile(lines, (next) => next.startsWith('>')).map((next) => next.replace(/^> ?/, ''))
    return { kind: 'quote', blocks: parseMarkdown(quoted.join('\n')) }
  }
  if (line.startsWith('|')) {
    const [head = '', ...rows] = takeWhile(lines, (next) => next.startsWith('|')).filter((row) => !isRule(row))
    return { kind: 'table', head: cellsOf(head), rows: rows.map(cellsOf) }
  }
  if (itemPattern.test(line)) return takeList(lines)
  const [first = '', ...rest] = [lines.shift(), ...takeWhile(lines, (next) => !startsBlock(next))]
  return { kind: 'paragraph', content: parseInline([first, ...rest].map((text) => (text ?? '').trim()).join(' ')) }
}

export const parseMarkdown = (text: string): Block[] => {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (;;) {
    takeWhile(lines, (line) => line.trim() === '')
    if (lines.length === 0) return blocks
    blocks.push(takeBlock(lines))
  }
}
