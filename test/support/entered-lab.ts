// A running sandbox in a store in memory, and those who enter it from a browser: for what needs no container.

import { Duplex } from 'node:stream'
import { createSecret } from '../../src/accounts/secrets.ts'
import { addMinutes, type Clock, elapsedMs } from '../../src/clock.ts'
import type { GuestRole } from '../../src/contract/lab-access.ts'
import { createGradingLock } from '../../src/grading/grading-lock.ts'
import { createInvitations } from '../../src/sandboxes/entry/invitations.ts'
import { createLabEntry } from '../../src/sandboxes/entry/lab-entry.ts'
import { createLabPresences } from '../../src/sandboxes/entry/lab-presence.ts'
import { createTickets } from '../../src/sandboxes/entry/tickets.ts'
import { createOutputThrottle } from '../../src/sandboxes/run/output-throttle.ts'
import { createTerminals } from '../../src/sandboxes/run/terminals.ts'
import type { LabAccessStore } from '../../src/store/lab-access.ts'
import type { SandboxRow } from '../../src/store/sandboxes.ts'
import { openStore } from '../../src/store/store.ts'
import { ample, now, sandbox } from './store.ts'

export const ticketMinutes = 15

interface Options {
  readonly labGuests?: number
  readonly file?: string
  /** In place of what the store does, for some of it. */
  readonly change?: (store: LabAccessStore) => Partial<LabAccessStore>
}

export const openEnteredLab = async ({ labGuests = 20, file = ':memory:', change = () => ({}) }: Options = {}) => {
  let time = Date.parse(now)
  const clock: Clock = { now: () => new Date(time), sleep: async () => undefined }
  const store = await openStore({ databaseUrl: undefined, file, now: clock.now() })
  const later = addMinutes(clock.now(), 120).toISOString()
  const reserved = sandbox(null, { address: '192.0.2.1', expires_at: later, deadline: later })
  await store.slots.reserve(reserved, ample)
  await store.sandboxes.markRunning(reserved.id, '{}')
  const row = (await store.sandboxes.find(reserved.id)) as SandboxRow
  const tickets = createTickets({ secret: createSecret(), clock, minutes: ticketMinutes })
  const deps = { clock, tickets, rateLimit: null, limits: { labGuests, labInvitations: 10, ticketMinutes } }
  const labAccess = { ...store.labAccess, ...change(store.labAccess) }
  const labEntry = createLabEntry({ ...deps, store: labAccess, sandboxes: store.sandboxes, invitations: store.invitations })
  const invitations = createInvitations({ ...deps, store: store.invitations })
  return {
    ...{ store, row, clock, tickets, labEntry, invitations, presences: createLabPresences({ labEntry, invitations }) },
    pass: (seconds: number) => {
      time += seconds * 1000
    },
    enter: () => labEntry.redeem(tickets.sign(row.id)),
    /** An invitation, and a function that lets a guest in by it. */
    invite: async (role: GuestRole) => {
      const { invitation, secret } = await invitations.create(row, role)
      return { id: invitation.id, admit: () => labEntry.redeem(secret) }
    },
  }
}

export type EnteredLab = Awaited<ReturnType<typeof openEnteredLab>>

/** Terminals on streams that repeat what is typed, as a terminal does. */
export const openTerminals = ({ store, clock }: EnteredLab) => {
  const gradingLock = createGradingLock()
  const typed: string[] = []
  const terminal = async () => ({
    stream: new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        typed.push(chunk.toString())
        this.push(chunk)
        done()
      },
    }),
    resize: async () => undefined,
    close: async () => undefined,
  })
  const recording = { output: () => undefined, resize: () => undefined, close: () => undefined }
  const terminals = createTerminals({
    ...{ store: store.sandboxes, clock, gradingLock, engine: { terminal } as never, recorder: { openTerminal: () => recording } as never },
    outputThrottle: createOutputThrottle({ bytesPerSecond: 1024 * 1024, now: elapsedMs }),
    limits: { terminalLingerSeconds: 10 },
  })
  return { terminals, gradingLock, typed }
}

/** Whatever was found by a token waits, once, from `hold` until `release`: somebody else does something meanwhile. */
export const holdTokens = () => {
  let isHeld = false
  const [found, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return {
    found: found.promise,
    hold: () => {
      isHeld = true
    },
    release: () => held.resolve(),
    change: (store: LabAccessStore): Partial<LabAccessStore> => ({
      findByToken: async (...given) => {
        const row = await store.findByToken(...given)
        if (!isHeld) return row
        isHeld = false
        found.resolve()
        await held.promise
        return row
      },
    }),
  }
}
