// Cookies: read from the header of a request, and written for a response. On https their names begin with __Host-, so that no other
// host can set them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Hosts } from '../hosts.ts'

/** The value of the first cookie with this name. */
export const cookieIn = (header: string, name: string): string | null => {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return null
}

/** The names of cookies that begin like this, oldest first. */
export const cookieNamesIn = (header: string, prefix: string): string[] =>
  header
    .split(';')
    .map((part) => part.slice(0, Math.max(0, part.indexOf('='))).trim())
    .filter((name) => name.startsWith(prefix))

export const createCookies = (hosts: Hosts) => {
  const isSecure = ({ headers }: FastifyRequest) => hosts.rootUrlFor(headers.host).startsWith('https:')
  const nameOf = (request: FastifyRequest, name: string) => (isSecure(request) ? `__Host-${name}` : name)

  const set = (reply: FastifyReply, name: string, value: string, maxAgeSeconds: number) => {
    const secure = isSecure(reply.request) ? '; Secure' : ''
    const full = nameOf(reply.request, name)
    reply.header('set-cookie', `${full}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`)
  }

  return {
    read: (request: FastifyRequest, name: string): string | null =>
      request.headers.cookie === undefined ? null : cookieIn(request.headers.cookie, nameOf(request, name)),

    /** Names without the prefix of https, oldest first. */
    names: (request: FastifyRequest, prefix: string): string[] => {
      const full = nameOf(request, prefix)
      return cookieNamesIn(request.headers.cookie ?? '', full).map((name) => prefix + name.slice(full.length))
    },

    set,

    clear: (reply: FastifyReply, name: string): void => set(reply, name, '', 0),
  }
}

export type Cookies = ReturnType<typeof createCookies>

/** The cookie of a browser session. */
export const sessionCookie = 'lab_session'
