// Where a browser goes after a sign-in: a path of our own host. Whatever a browser could take for another host is refused.

import { LabError } from '../../errors.ts'

/** The catalog. */
export const defaultReturnTo = '/'

const longest = 512
/** Any host will do: a path of ours leads to this one, whatever it is. */
const somewhere = 'https://lab.invalid'
/** Sign-ins themselves: going there again would never end. */
const closed = /^\/(?:signin|api\/v1\/auth)(?:[/?#]|$)/i

const staysHere = (path: string): boolean => {
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(path)) return false
  if (!URL.canParse(path, somewhere)) return false
  const url = new URL(path, somewhere)
  return url.origin === somewhere && !url.pathname.startsWith('//') && !closed.test(url.pathname)
}

/** A path is looked at as it is, and as something between us and the browser may decode it. */
const isOwnPath = (path: string): boolean => {
  if (!/^[\x21-\x7e]*$/.test(path)) return false
  let decoded = path
  for (let round = 0; round < 3; round += 1) {
    if (!staysHere(decoded)) return false
    let next: string
    try {
      next = decodeURIComponent(decoded)
    } catch {
      return false
    }
    if (next === decoded) return true
    decoded = next
  }
  return false
}

/** Throws invalid_request unless it is a path of this host. */
export const checkReturnTo = (path: string | undefined): string => {
  if (path === undefined) return defaultReturnTo
  if (path.length <= longest && isOwnPath(path)) return path
  throw new LabError('invalid_request', 'return_to: must be a path of this host, such as /docs', {
    details: { fields: [{ field: 'return_to', problem: 'must be a path of this host, such as /docs' }] },
  })
}
