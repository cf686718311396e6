// Chooses the connections to close when too many bytes wait to be sent: the largest ones of the network that has the most, until the
// rest is within the limits. Pure; knows nothing of sockets.

export interface Backlog {
  readonly network: string
  readonly bytes: number
}

export interface BacklogBounds {
  readonly networkBytes: number
  readonly totalBytes: number
}

const sumOf = (backlogs: readonly { readonly bytes: number }[]): number => backlogs.reduce((sum, { bytes }) => sum + bytes, 0)

export const chooseToShed = <B extends Backlog>(backlogs: readonly B[], { networkBytes, totalBytes }: BacklogBounds): B[] => {
  const byNetwork = Map.groupBy(backlogs, ({ network }) => network)
  const networks = [...byNetwork.values()].map((held) => ({
    ascending: held.sort((one, other) => one.bytes - other.bytes),
    bytes: sumOf(held),
  }))
  let total = sumOf(networks)
  const shed: B[] = []
  while (true) {
    const heaviest = networks.reduce((one, other) => (other.bytes > one.bytes ? other : one), { ascending: [], bytes: 0 })
    const largest = heaviest.ascending.at(-1)
    if (largest === undefined || (heaviest.bytes <= networkBytes && total <= totalBytes)) return shed
    heaviest.ascending.pop()
    heaviest.bytes -= largest.bytes
    total -= largest.bytes
    shed.push(largest)
  }
}
