// A page that is loaded when it is shown first, so that the others load without it.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from './page.ts'
import { Loading } from './ui/states.tsx'

export const lazyPage = (load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> => {
  let loaded: ComponentType<PageProps> | null = null
  return (props) => {
    const [Page, setPage] = useState<{ readonly component: ComponentType<PageProps> } | null>(loaded && { component: loaded })
    const [isMissing, setMissing] = useState(false)
    useEffect(() => {
      if (Page !== null) return
      const show = (component: ComponentType<PageProps>) => {
        loaded = component
        setPage({ component })
      }
      load().then(show, () => setMissing(true))
    }, [Page])
    if (Page !== null) return <Page.component {...props} />
    return isMissing ? (
      <p class="state" role="alert">
        The page could not be loaded. Load it again.
      </p>
    ) : (
      <Loading what="the page" />
    )
  }
}
