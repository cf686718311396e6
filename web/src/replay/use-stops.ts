// What one can jump to in a recording, and what that is.

import { useEffect, useState } from 'preact/hooks'
import type { Cast } from './cast.ts'
import { bursts, markedStops, type Stop } from './timeline.ts'

export interface Stops {
  readonly kind: 'marked' | 'read' | 'bursts'
  readonly stops: readonly Stop[]
}

export const stopWords: Readonly<Record<Stops['kind'], string>> = {
  marked: 'Commands',
  read: 'Commands, as far as they can be read from the screen',
  bursts: 'Output after a pause: what was typed is not recorded, and no prompt was seen',
}

/** Commands that the recording marks; of a terminal, those that can be read from its screen; or else output after a pause. */
export const useStops = (cast: Cast): Stops | null => {
  const [stops, setStops] = useState<Stops | null>(null)
  useEffect(() => {
    let isLeft = false
    const find = async (): Promise<Stops> => {
      const marked = markedStops(cast)
      if (marked.length > 0) return { kind: 'marked', stops: marked }
      const { readScreenCommands } = await import('./screen-commands.ts')
      const read = await readScreenCommands(cast)
      return read.length > 0 ? { kind: 'read', stops: read } : { kind: 'bursts', stops: bursts(cast) }
    }
    find()
      .catch((): Stops => ({ kind: 'bursts', stops: bursts(cast) }))
      .then((found) => {
        if (!isLeft) setStops(found)
      })
    return () => {
      isLeft = true
    }
  }, [cast])
  return stops
}
