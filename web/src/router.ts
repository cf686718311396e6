// The address of the page as state: links between pages of the app change it without loading the page anew.

import { useEffect, useState } from 'preact/hooks'
import { takeTicketFromAddress } from './lab/lab-tickets.ts'
import { routeOf } from './route.ts'

type Listener = () => void
const listeners = new Set<Listener>()
const announce = () => {
  for (const listener of listeners) listener()
}

/** What was typed changes the address without a step in the history. */
export const navigate = (to: string, { replace = false } = {}): void => {
  if (replace) history.replaceState(history.state, '', to)
  else history.pushState(null, '', to)
  announce()
  if (!replace) scrollTo(0, 0)
}

/** Redraws whenever the address changes. */
export const useAddress = (): URL => {
  const [href, setHref] = useState(location.href)
  useEffect(() => {
    /** A secret in the address is taken out before anything sees it; the page is asked to look again. */
    const update = () => {
      const isTaken = takeTicketFromAddress()
      setHref(isTaken ? `${location.href}#` : location.href)
    }
    listeners.add(update)
    addEventListener('popstate', update)
    addEventListener('hashchange', update)
    return () => {
      listeners.delete(update)
      removeEventListener('popstate', update)
      removeEventListener('hashchange', update)
    }
  }, [])
  return new URL(href)
}

/** The link that a click follows inside the app; null where the browser should do it. */
const linkOf = (event: MouseEvent): URL | null => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const anchor = (event.target as Element | null)?.closest('a')
  if (anchor === null || anchor === undefined || anchor.target !== '' || anchor.hasAttribute('download')) return null
  const url = new URL(anchor.href, location.href)
  const isHere = url.pathname === location.pathname && url.search === location.search && url.hash !== ''
  return url.origin === location.origin && routeOf(url.pathname) !== null && !isHere ? url : null
}

export const followLinks = (): (() => void) => {
  const follow = (event: MouseEvent) => {
    const url = linkOf(event)
    if (url === null) return
    event.preventDefault()
    navigate(url.pathname + url.search + url.hash)
  }
  document.addEventListener('click', follow)
  return () => document.removeEventListener('click', follow)
}
