// What every page gets, and its title.

import { useEffect } from 'preact/hooks'

export interface PageProps {
  readonly address: URL
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>
}

export const useTitle = (title: string | null): void => {
  useEffect(() => {
    document.title = title === null ? 'Incident Lab' : `${title} · Incident Lab`
  }, [title])
}
