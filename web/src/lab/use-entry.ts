// How the reader enters a lab: as its account, else by the ticket of this tab, else as the visitor whose browser has started it.

import { useEffect, useState } from 'preact/hooks'
import { useAccount } from '../account.ts'
import { client, type Failure, failureOf } from '../api.ts'
import { asAccount, asHolder, type LabAs } from './lab-role.ts'
import { keepTicket, ticketOf } from './lab-tickets.ts'

export type Entry =
  | { readonly kind: 'looking' }
  | { readonly kind: 'in'; readonly as: LabAs }
  /** Nobody is signed in, and there is no ticket. */
  | { readonly kind: 'sign_in' }
  | { readonly kind: 'refused'; readonly error: Failure }

interface Entered {
  readonly work: Promise<LabAs>
  /** The ticket that was used, and the one that it gave. */
  readonly tickets: Set<string>
}

/** A ticket works once, so a page that is shown again uses what it gave. */
const entered = new Map<string, Entered>()

const enterBy = (id: string, ticket: string): Promise<LabAs> => {
  const tickets = new Set([ticket])
  const work = client.openLab(ticket).then((access) => {
    tickets.add(access.ticket)
    keepTicket(id, access.ticket)
    return asHolder(access)
  })
  entered.set(id, { work, tickets })
  work.catch(() => entered.delete(id))
  return work
}

/** What an earlier page got, unless the address has brought another ticket since. */
const knownEntry = (id: string, ticket: string | null): Promise<LabAs> | null => {
  const known = entered.get(id)
  return known === undefined || (ticket !== null && !known.tickets.has(ticket)) ? null : known.work
}

const isOwn = async (id: string): Promise<boolean> => {
  try {
    await client.sandbox(id)
    return true
  } catch (error) {
    if (failureOf(error).code === 'not_found') return false
    throw error
  }
}

const ticketOfVisitor = async (id: string): Promise<string | null> => {
  const { items } = await client.visitorLabs()
  return items.some((item) => item.id === id) ? (await client.returnToLab(id)).ticket : null
}

const lookFor = async (id: string, isSignedIn: boolean): Promise<Entry> => {
  if (isSignedIn && (await isOwn(id))) {
    keepTicket(id, null)
    return { kind: 'in', as: asAccount }
  }
  const ticket = ticketOf(id)
  const known = knownEntry(id, ticket)
  if (known !== null) return { kind: 'in', as: await known }
  const refused = ticket === null ? null : await enterBy(id, ticket).catch(failureOf)
  if (refused !== null && !('code' in refused)) return { kind: 'in', as: refused }
  if (refused !== null && refused.code !== 'unauthorized') return { kind: 'refused', error: refused }
  keepTicket(id, null)
  const another = isSignedIn ? null : await ticketOfVisitor(id)
  if (another !== null) return { kind: 'in', as: await enterBy(id, another) }
  if (refused !== null) return { kind: 'refused', error: refused }
  return isSignedIn ? { kind: 'in', as: asAccount } : { kind: 'sign_in' } // its page says that there is none
}

/** Access that was lost is not used again. */
export const forgetEntry = (id: string): void => {
  entered.delete(id)
  keepTicket(id, null)
}

export const useEntry = (id: string, address: string): Entry & { readonly retry: () => void } => {
  const { me } = useAccount()
  const [entry, setEntry] = useState<Entry>({ kind: 'looking' })
  const [attempt, setAttempt] = useState(0)
  const account = me === undefined ? undefined : (me?.id ?? null)
  useEffect(() => {
    if (account === undefined) return
    let isLeft = false
    lookFor(id, account !== null)
      .catch((error: unknown): Entry => ({ kind: 'refused', error: failureOf(error) }))
      .then((found) => {
        if (!isLeft) setEntry(found)
      })
    return () => {
      isLeft = true
    }
  }, [id, account, attempt, address])
  return { ...entry, retry: () => setAttempt(attempt + 1) }
}
