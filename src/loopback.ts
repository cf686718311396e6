// Which hosts and addresses are this machine, and nobody else's.

import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Of a name, only `localhost` is known to be this machine. */
export const isLoopbackHost = (host: string): boolean => {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(address)
  return family === 0 ? host.toLowerCase() === 'localhost' : loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
