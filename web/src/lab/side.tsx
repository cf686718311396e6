// Beside the terminals: brief, hints, steps, and the debrief when it may be read.

import type { ComponentChildren } from 'preact'
import { Glyph } from '../ui/icons.tsx'

export const sideTabs = { brief: 'Brief', hints: 'Hints', steps: 'Steps', people: 'People', debrief: 'Debrief' } as const
export type SideTab = keyof typeof sideTabs

interface SideProps {
  readonly tab: SideTab
  /** Those that there are for this reader. */
  readonly has: (tab: SideTab) => boolean
  /** How many guests are in. */
  readonly guests: number
  readonly show: (tab: SideTab) => void
  readonly hide: () => void
  readonly children: ComponentChildren
}

export const Side = ({ tab, has, guests, show, hide, children }: SideProps) => {
  const names = (Object.keys(sideTabs) as SideTab[]).filter(has)
  return (
    <section class="lab-side" aria-label="Brief, hints and steps">
      <div class="side-head">
        {names.map((name) => (
          <button key={name} type="button" class="tab" aria-pressed={name === tab} onClick={() => show(name)}>
            {sideTabs[name]}
            {name === 'people' && guests > 0 ? ` (${guests})` : null}
          </button>
        ))}
        <button type="button" class="icon-button side-hide" aria-label="Hide this side" title="Hide this side" onClick={hide}>
          <Glyph name="close" size={18} />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div class="side-body" tabIndex={0}>
        {children}
      </div>
    </section>
  )
}
