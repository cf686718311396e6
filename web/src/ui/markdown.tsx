// Shows Markdown as elements. Nothing of it becomes markup: the text of an author is text.

import { type Block, type Inline, parseMarkdown } from './markdown-blocks.ts'

/** One line of it, without blocks. */
export const Words = ({ content }: { readonly content: readonly Inline[] }) => (
  <>
    {content.map((part) => {
      if (part.kind === 'code') return <code>{part.text}</code>
      if (part.kind === 'strong') return <strong>{part.text}</strong>
      if (part.kind === 'emphasis') return <em>{part.text}</em>
      if (part.kind === 'link') {
        return (
          <a href={part.href} rel="noreferrer noopener">
            {part.text}
          </a>
        )
      }
      return part.text
    })}
  </>
)

/** Headings of a text are below those of the page. */
const Heading = ({ level, content }: { readonly level: number; readonly content: readonly Inline[] }) =>
  level <= 2 ? (
    <h3>
      <Words content={content} />
    </h3>
  ) : (
    <h4>
      <Words content={content} />
    </h4>
  )

const Table = ({ head, rows }: Extract<Block, { kind: 'table' }>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
  <section class="table-wrap" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th scope="col">
              <Words content={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td>
                <Words content={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const List = ({ isOrdered, items }: Extract<Block, { kind: 'list' }>) => {
  const entries = items.map((item) => (
    <li>
      <Words content={item} />
    </li>
  ))
  return isOrdered ? <ol>{entries}</ol> : <ul>{entries}</ul>
}

export const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }) => (
  <>
    {blocks.map((block) => {
      switch (block.kind) {
        case 'heading':
          return <Heading level={block.level} content={block.content} />
        case 'quote':
          return (
            <blockquote>
              <Blocks blocks={block.blocks} />
            </blockquote>
          )
        case 'list':
          return <List {...block} />
        case 'table':
          return <Table {...block} />
        case 'code':
          return (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            <pre tabIndex={0}>
              <code>{block.text}</code>
            </pre>
          )
        default:
          return (
            <p>
              <Words content={block.content} />
            </p>
          )
      }
    })}
  </>
)

export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="prose">
    <Blocks blocks={parseMarkdown(text)} />
  </div>
)
