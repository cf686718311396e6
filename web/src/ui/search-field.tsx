// A search field. The key `/` leads to the one of the page.

import { Glyph } from './icons.tsx'

export interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
}

export const SearchField = ({ label, value, change }: SearchFieldProps) => (
  <div class="search">
    <Glyph name="search" size={18} />
    <input
      type="search"
      data-search
      aria-label={label}
      placeholder={label}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        change('')
        event.currentTarget.blur()
      }}
    />
    <span class="key" aria-hidden="true">
      /
    </span>
  </div>
)
