// Which machines a lab shows: one that has the keys, and perhaps another beside it.

import { useState } from 'preact/hooks'

export const usePanes = (names: readonly string[]) => {
  const [chosen, setShown] = useState<string | null>(null)
  const shown = chosen ?? names[0] ?? ''
  const [beside, setBeside] = useState<string | null>(null)

  const swapWith = (container: string) => {
    setBeside(shown)
    setShown(container)
  }
  const nextOf = (container: string, except: string | null) => {
    const others = names.filter((name) => name !== except || name === container)
    return others[(others.indexOf(container) + 1) % others.length] ?? container
  }

  return {
    shown,
    beside,
    /** A machine that is in the other pane gets the keys there. */
    show: (container: string) => (container === beside ? swapWith(container) : setShown(container)),
    showNext: () => setShown(nextOf(shown, beside)),
    /** Opens the second pane, or closes it. */
    split: () => setBeside(beside === null && names.length > 1 ? nextOf(shown, null) : null),
    swap: () => {
      if (beside !== null) swapWith(beside)
    },
  }
}
