// A table that scrolls sideways on a narrow screen, by keys too.

import type { ComponentChildren } from 'preact'

export interface TableProps {
  readonly label: string
  /** An empty one has a name for screen readers only. */
  readonly columns: readonly (string | { readonly unseen: string })[]
  readonly children: ComponentChildren
}

export const Table = ({ label, columns, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
  <section class="table-scroll" tabIndex={0} aria-label={`Table: ${label}`}>
    <table class="table">
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.unseen} scope="col">
                <span class="unseen">{column.unseen}</span>
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)
