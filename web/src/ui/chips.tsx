// A group of filters that can be switched on and off, each with how many results it would leave.

import type { ComponentChildren } from 'preact'

export interface Chip {
  readonly value: string
  readonly name: string
  readonly count: number
  readonly icon?: ComponentChildren
}

export interface ChipsProps {
  readonly label: string
  readonly chips: readonly Chip[]
  readonly chosen: readonly string[]
  readonly toggle: (value: string) => void
}

export const Chips = ({ label, chips, chosen, toggle }: ChipsProps) => (
  <fieldset class="chips">
    <legend>{label}</legend>
    {chips.map(({ value, name, count, icon }) => (
      <button key={value} type="button" class="chip" aria-pressed={chosen.includes(value)} onClick={() => toggle(value)}>
        {icon}
        {name}
        <span class="chip-count">{count}</span>
      </button>
    ))}
  </fieldset>
)
