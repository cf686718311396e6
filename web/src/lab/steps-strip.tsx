// The strip at the foot of a lab: what is being done, and how each of the seven steps stands. It never scrolls away. Shapes and words
// carry it; colour repeats it.

import { Glyph, type IconName } from '../ui/icons.tsx'
import { reasonOf, type StepStanding, type StepView, shortNames, standingWords } from './step-views.ts'

const glyphs: Readonly<Partial<Record<StepStanding, IconName>>> = { held: 'check', failed: 'close', not_attempted: 'dash' }

export const StepMark = ({ standing }: { readonly standing: StepStanding }) => {
  const glyph = glyphs[standing]
  return (
    <span class={`step-mark step-${standing}`} aria-hidden="true">
      {glyph === undefined ? null : <Glyph name={glyph} size={12} />}
    </span>
  )
}

export interface StepsStripProps {
  readonly views: readonly StepView[]
  readonly status: string
  /** Shows what each step saw. */
  readonly open: () => void
}

export const StepsStrip = ({ views, status, open }: StepsStripProps) => (
  <section class="strip" aria-label="The seven steps">
    <p class="strip-status" role="status">
      {status}
    </p>
    <ol class="strip-steps">
      {views.map((view) => {
        const reason = reasonOf(view)
        return (
          <li key={view.name}>
            <button type="button" class={`strip-step strip-${view.standing}`} title={reason === '' ? undefined : reason} onClick={open}>
              <StepMark standing={view.standing} />
              <span class="strip-name">{shortNames[view.name]}</span>
              <span class="strip-word">
                <span class={reason === '' ? undefined : 'unseen'}>{`${standingWords[view.standing]}${reason === '' ? '' : ': '}`}</span>
                {reason}
              </span>
            </button>
          </li>
        )
      })}
    </ol>
  </section>
)
