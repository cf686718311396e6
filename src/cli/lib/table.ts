// Prints tables.

import stringWidth from 'string-width'
import { padTo } from './columns.ts'

/** Prints rows in columns as wide as they need to be. */
export const printTable = (rows: readonly (readonly string[])[]): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))))
  for (const row of rows) {
    const cells = row.map((cell, column) => padTo(cell, widths[column] ?? 0))
    console.log(cells.join('  ').trimEnd())
  }
}
