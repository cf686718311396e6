// HTML templates that escape everything that is not HTML already, so that text cannot be inserted unescaped by mistake. Of Markdown,
// backticks and paragraphs are supported.

class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

export type { Html }

export type Part = Html | string | number | undefined | readonly Part[]

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe between tags and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] as string)

const markupOf = (part: Part): string => {
  if (part === undefined) return ''
  if (part instanceof Html) return part.markup
  return typeof part === 'object' ? part.map(markupOf).join('') : escapeHtml(String(part))
}

export const html = (fixed: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(fixed.map((text, index) => text + markupOf(parts[index])).join(''))

/** For HTML and CSS of this program; never for text from a document. */
export const trusted = (markup: string): Html => new Html(markup)

export const join = (parts: readonly Part[], between: string): Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))

export type Address = (code: string) => string | undefined

const code = (text: string, addressOf: Address): Html => {
  const address = addressOf(text)
  return address === undefined ? html`<code>${text}</code>` : html`<a href="${address}"><code>${text}</code></a>`
}

/** Backticks become code; code for which there is an address becomes a link. */
export const inline = (text: string, addressOf: Address = () => undefined): Html =>
  html`${text.split(/`([^`]+)`/).map((piece, index) => (index % 2 === 1 ? code(piece, addressOf) : piece))}`

/** Blank lines separate paragraphs. */
export const prose = (text: string, addressOf?: Address): Html =>
  html`${text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph.trim(), addressOf)}</p>`)}`

/** A captioned block of code, focusable because it may scroll. */
export const figure = (caption: Part, content: Part): Html =>
  html`<figure><figcaption>${caption}</figcaption><pre tabindex="0"><code>${content}</code></pre></figure>\n`

export const json = (value: unknown): string => JSON.stringify(value, null, 2)
