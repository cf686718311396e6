// Maps a client address to its network: an IPv4 address, or an IPv6 /64, because one client usually has a whole /64. Rate limits,
// anonymous slots and connections are counted by network. Addresses may come from a proxy, some of which write a port behind them.

import { isIPv4, isIPv6 } from 'node:net'

/** The last 32 bits of an IPv6 address may be written as IPv4. */
const withoutDots = (address: string): string =>
  address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...parts) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })

const groupsOf = (address: string): number[] => {
  const [head = '', tail] = withoutDots(address.split('%')[0] as string).split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(missing).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

const networkOfIpv6 = (address: string): string => {
  const groups = groupsOf(address.toLowerCase())
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped)
    return `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  return [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 0xff]).join('.')
}

/** Whatever is no address is one network: a client must not become many by what it writes. */
const unknown = 'unknown'

/** `192.0.2.1:443`, `[2001:db8::1]:443` or `[2001:db8::1]`. */
const withoutPort = (text: string): string => {
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  return inBrackets ?? beforePort ?? text
}

const parse = (text: string): string => {
  const address = withoutPort(text)
  if (isIPv6(address)) return networkOfIpv6(address)
  return isIPv4(address) ? address : unknown
}

/** Taking an address apart costs as much as answering a cached read, and the same few addresses come again and again. */
const mostKnown = 1000
const known = new Map<string, string>()

/** IPv4 unchanged, also when mapped into IPv6; IPv6 as its /64. A port does not matter. */
export const networkOf = (address: string): string => {
  if (isIPv4(address)) return address
  const found = known.get(address)
  if (found !== undefined) return found
  const network = parse(address)
  if (network === unknown) return unknown // it may be as long as a header
  if (known.size >= mostKnown) known.clear()
  known.set(address, network)
  return network
}
