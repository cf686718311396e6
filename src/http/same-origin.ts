// Whether a request comes from a page of this service. Browsers send cookies with requests of other pages too, so a cookie alone
// does not allow a write (CSRF).

import type { IncomingMessage } from 'node:http'
import type { Hosts } from '../hosts.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** The Host header is not used, because of DNS rebinding: a foreign name may resolve to this address. */
export const isLocalOrigin = (origin: string, port: number | undefined): boolean =>
  loopback.some((name) => origin === `http://${name}${port === 80 ? '' : `:${port}`}`)

/**
 * Sec-Fetch-Site tells it where browsers send it (https and localhost): `same-origin` also where a proxy has given us another address
 * than we know. Else Origin does, and a foreign one is never ours. Without both it is not known, so it is not.
 */
export const isFromOwnPage = ({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, hosts: Hosts): boolean => {
  const { 'sec-fetch-site': site, origin } = headers
  if (site === 'same-origin') return true
  if (origin !== undefined && !hosts.all().includes(origin) && !isLocalOrigin(origin, socket.localPort)) return false
  return site === undefined ? origin !== undefined : site === 'none'
}

/** Whether another page sent the browser here. Programs, and browsers that do not tell, are none. */
export const isFromAnotherPage = (request: Pick<IncomingMessage, 'headers' | 'socket'>, hosts: Hosts): boolean => {
  const { 'sec-fetch-site': site, origin } = request.headers
  return (site !== undefined || origin !== undefined) && !isFromOwnPage(request, hosts)
}
