// A short answer to something that was pressed, for a few seconds.

import { useEffect, useState } from 'preact/hooks'

const shownMs = 5_000

export const useSaying = (): readonly [string | null, (text: string) => void] => {
  const [saying, setSaying] = useState<string | null>(null)
  useEffect(() => {
    if (saying === null) return
    const timer = setTimeout(() => setSaying(null), shownMs)
    return () => clearTimeout(timer)
  }, [saying])
  return [saying, setSaying]
}
