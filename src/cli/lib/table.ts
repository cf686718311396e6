// Prints tables.

import stringWidth from 'string-width'
import { cut, padTo } from './columns.ts'

const gap = '  '

/** Prints rows in columns as wide as they need to be. On a terminal that `fits`, the last one is cut where the line ends. */
export const printTable = (rows: readonly (readonly string[])[], { fits = false }: { readonly fits?: boolean } = {}): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))))
  const lead = widths.slice(0, -1).reduce((sum, width) => sum + width + gap.length, 0)
  const room = fits && process.stdout.isTTY ? Math.max(1, process.stdout.columns - lead) : Number.POSITIVE_INFINITY
  for (const row of rows) {
    const last = row.length - 1
    const cells = row.map((cell, column) => (column === last ? cut(cell, room) : padTo(cell, widths[column] ?? 0)))
    console.log(cells.join(gap).trimEnd())
  }
}
