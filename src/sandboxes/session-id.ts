// A session id is the sandbox's public id plus a 160-bit MAC of it under the installation's secret.
// It is never stored: it is rebuilt where its owner may see it, and checked where it is presented.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { isId, toBase32 } from '../ids.ts'

const macBytes = 20

/** Whether it has the form of a session id. */
export const isSessionId = (text: string): boolean => {
  const [id = '', mac = '', ...rest] = text.split('.')
  return isId(id) && /^[0-9a-z]{32}$/.test(mac) && rest.length === 0
}

export const createSessionIds = (secret: string) => {
  const mac = (id: string): string => toBase32(createHmac('sha256', secret).update(`sandbox:${id}`).digest().subarray(0, macBytes))
  return {
    of: (id: string): string => `${id}.${mac(id)}`,
    /** The sandbox's id, or null when the session id is not one of ours. */
    open: (sessionId: string): string | null => {
      const [id = '', presented = '', ...rest] = sessionId.split('.')
      const expected = Buffer.from(mac(id))
      const given = Buffer.from(presented)
      const genuine = given.length === expected.length && timingSafeEqual(given, expected)
      return genuine && rest.length === 0 ? id : null
    },
  }
}

export type SessionIds = ReturnType<typeof createSessionIds>
