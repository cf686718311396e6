// Tickets: what opens a lab in a browser once. The first one of a lab is signed and not stored, so that every response may hold one;
// those that follow it in a tab are random. Which were used, the store knows by their hashes.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createSecret } from '../../accounts/secrets.ts'
import type { Clock } from '../../clock.ts'
import { createId, isId, toBase32 } from '../../ids.ts'

export interface TicketsDeps {
  readonly secret: string
  readonly clock: Clock
  /** How long a signed one may wait for its use. */
  readonly minutes: number
}

const macBytes = 20
const nonceLength = 16
/** `id.seconds.nonce.mac`: the parts of a signed ticket. */
const signedPattern = /^([0-9a-z]{16})\.([0-9]{1,12})\.([0-9a-z]{16})\.([0-9a-z]{32})$/

export const createTickets = ({ secret, clock, minutes }: TicketsDeps) => {
  const macOf = (text: string) => toBase32(createHmac('sha256', secret).update(`ticket:${text}`).digest().subarray(0, macBytes))

  return {
    /** A ticket of this sandbox, which nobody has seen before. */
    sign: (sandboxId: string): string => {
      const seconds = Math.floor(clock.now().getTime() / 1000) + minutes * 60
      const text = `${sandboxId}.${seconds}.${createId().slice(0, nonceLength)}`
      return `${text}.${macOf(text)}`
    },

    /** The sandbox of a signed ticket; null when it is none of ours, or too old. */
    open: (ticket: string): string | null => {
      const [, id = '', seconds = '', nonce = '', given = ''] = signedPattern.exec(ticket) ?? []
      if (!isId(id)) return null
      const expected = Buffer.from(macOf(`${id}.${seconds}.${nonce}`))
      const presented = Buffer.from(given)
      if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return null
      return Number(seconds) * 1000 > clock.now().getTime() ? id : null
    },

    /** The one that follows. */
    next: createSecret,
  }
}

export type Tickets = ReturnType<typeof createTickets>
