// Which paths a sign-in may lead back to: paths of our own host. Whatever a browser could take for another host is none. Pure.

/** The catalog. */
export const defaultReturnPath = '/'

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
export const isReturnPath = (path: string): boolean => {
  if (path.length > longest || !/^[\x21-\x7e]*$/.test(path)) return false
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
