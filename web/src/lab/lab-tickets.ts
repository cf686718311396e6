// The ticket of this tab for a lab. The address brings the first one, which is taken out of it at once; the tab keeps the next, so that it
// can be loaded again. Nothing of it outlives the tab, and it is in no address that a server sees.

import { fragmentKeys } from '../../../src/contract/lab-access.ts'
import { routeOf } from '../route.ts'

/** For a browser that keeps nothing. */
const inMemory = new Map<string, string>()
const nameOf = (sandboxId: string) => `lab-ticket ${sandboxId}`

export const ticketOf = (sandboxId: string): string | null => {
  try {
    return sessionStorage.getItem(nameOf(sandboxId)) ?? inMemory.get(sandboxId) ?? null
  } catch {
    return inMemory.get(sandboxId) ?? null
  }
}

/** Null forgets it. */
export const keepTicket = (sandboxId: string, ticket: string | null): void => {
  inMemory.delete(sandboxId)
  try {
    if (ticket === null) sessionStorage.removeItem(nameOf(sandboxId))
    else sessionStorage.setItem(nameOf(sandboxId), ticket)
  } catch {
    if (ticket !== null) inMemory.set(sandboxId, ticket)
  }
}

/** The ticket or the invitation in a fragment. Pure. */
export const secretIn = (fragment: string): string | null => {
  for (const key of Object.values(fragmentKeys)) if (fragment.startsWith(`#${key}`)) return fragment.slice(key.length + 1) || null
  return null
}

/** Whether the address brought one. It is gone from the address bar and from the history afterwards. */
export const takeTicketFromAddress = (): boolean => {
  const secret = secretIn(location.hash)
  if (secret === null) return false
  history.replaceState(history.state, '', location.pathname + location.search)
  const route = routeOf(location.pathname)
  if (route?.page === 'lab') keepTicket(route.params['sandboxId'] ?? '', secret)
  return true
}
