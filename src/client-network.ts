// Maps a client address to its network: an IPv4 address, or an IPv6 /64, because one client usually has a whole /64. Rate limits,
// anonymous slots and connections are counted by network.

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

/** Taking an IPv6 address apart costs as much as answering a cached read, and the same few addresses come again and again. */
const mostKnown = 1000
const known = new Map<string, string>()

/** IPv4 unchanged, also when mapped into IPv6; IPv6 as its /64. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const found = known.get(address)
  if (found !== undefined) return found
  if (known.size >= mostKnown) known.clear()
  const network = networkOfIpv6(address)
  known.set(address, network)
  return network
}
