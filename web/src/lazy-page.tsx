// A page whose program is loaded when it is first opened, so that the first load of the app stays small.

import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from './page.ts'
import { Failed, Loading } from './ui/states.tsx'

const notLoaded = { code: 'internal', message: 'a part of the page could not be loaded', hint: 'the server may have been started anew' }

export const lazyPage = (load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> => {
  let loaded: ComponentType<PageProps> | undefined
  return (props: PageProps) => {
    const [state, setState] = useState<'loading' | 'ready' | 'failed'>(loaded === undefined ? 'loading' : 'ready')
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (Page) => {
          loaded = Page
          setState('ready')
        },
        () => setState('failed'),
      )
    }, [])
    const Page = loaded
    if (Page !== undefined) return <Page {...props} />
    return state === 'failed' ? <Failed error={notLoaded} retry={() => location.reload()} /> : <Loading what="the page" />
  }
}
