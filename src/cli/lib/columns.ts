// Text in the columns of a terminal, where some characters take two and colours take none.

import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

/** As much as fits; what is missing shows as an ellipsis. */
export const cut = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text
  if (width < 2) return '…'.repeat(Math.max(0, width))
  const [kept = ''] = wrapAnsi(text, width - 1, { hard: true, wordWrap: false, trim: false }).split('\n')
  return `${kept}…`
}

/** Breaks at spaces, and words that are wider than a line anywhere. The first line starts with `first`, the others with `indent`, which is as wide. */
export const wrap = (text: string, width: number, first = '', indent = ' '.repeat(stringWidth(first))): string[] =>
  wrapAnsi(text.trim().replace(/\s+/g, ' '), Math.max(1, width - stringWidth(first)), { hard: true })
    .split('\n')
    .map((line, index) => `${index === 0 ? first : indent}${line}`)
