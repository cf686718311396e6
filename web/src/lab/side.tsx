// Beside the terminals: brief, hints, steps, and the debrief when it may be read.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from '../ui/icons.tsx'

export const sideTabs = { brief: 'Brief', hints: 'Hints', steps: 'Steps', people: 'People', debrief: 'Debrief' } as const
export type SideTab = keyof typeof sideTabs

const stepPixels = 32
const leastPixels = 288
const usualPixels = 432

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
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState<number | null>(null)
  useEffect(() => {
    if (place.current !== null && width !== null) place.current.style.width = `${width}px`
  }, [width])
  /** Arrows move the border; where it may be, the styles say. */
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -stepPixels, ArrowRight: stepPixels }[event.key]
    if (by === undefined || place.current === null) return
    event.preventDefault()
    const most = innerWidth * 0.6
    setWidth(Math.round(Math.max(leastPixels, Math.min(most, place.current.offsetWidth + by))))
  }
  const names = (Object.keys(sideTabs) as SideTab[]).filter(has)
  return (
    <section class="lab-side" aria-label="Brief, hints and steps" ref={place}>
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
      <div key={tab} class="side-body" tabIndex={0}>
        {children}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule between two parts cannot be moved by keys */}
      <div
        class="side-border"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label="Width of this side; arrow keys change it"
        aria-valuenow={width ?? usualPixels}
        aria-valuemin={leastPixels}
        aria-valuemax={Math.round(innerWidth * 0.6)}
        onKeyDown={press}
      />
    </section>
  )
}
