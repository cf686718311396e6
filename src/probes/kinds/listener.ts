// Probe: which programs listen on which ports of a service.

import { z } from 'zod'
import { absolutePath } from '../../contract/names.ts'
import { port as portNumber, serviceName } from '../field-schemas.ts'
import { differs, holds } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'
import { ProcessEntry, runsAs, whoIs } from './process.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service that is looked at.'),
  port: portNumber.optional().describe('The port that is looked at. Without it: every port that is open to the network.'),
  only_ports: z.array(portNumber).optional().describe('No other port is open to the network.'),
  executable: absolutePath.describe('The executable that must hold the port, and nobody else.'),
  uid: z.int().optional().describe('The number of the user that it must run as.'),
})

const ListenerEntry = ProcessEntry.pick({ uid: true, privileged: true, executable: true }).extend({
  port: z.int(),
  /** Hexadecimal, as the kernel prints it. */
  address: z.string(),
})
const Answer = z.object({ listeners: z.array(ListenerEntry) })

const isLoopback = (address: string) => address.endsWith('7F') || address === '00000000000000000000000001000000'

/** Every process that has the listening socket open must run the authored executable. */
const run: RunProbe<typeof schema> = async ({ in: service, port, only_ports: onlyPorts, executable, uid }, { observer }) => {
  const { listeners } = await observer.inspect(service, { inspection: 'listeners' }, Answer)
  const there = listeners.filter((entry) => (port === undefined ? !isLoopback(entry.address) : entry.port === port))
  const where = port === undefined ? `a network address of ${service}` : `port ${port} of ${service}`
  if (there.length === 0) return differs(`nothing listens on ${where}`)
  const stranger = there.find((entry) => entry.executable !== executable || (uid !== undefined && !runsAs(entry, uid)))
  if (stranger !== undefined) return differs(`${stranger.executable} listens on port ${stranger.port} of ${service} as ${whoIs(stranger)}`)
  const open = [...new Set(there.map((entry) => entry.port))].sort((a, b) => a - b)
  if (onlyPorts !== undefined && open.some((number) => !onlyPorts.includes(number)))
    return differs(`the open ports of ${service} are ${open.join(', ')}, not only ${onlyPorts.join(', ')}`)
  return holds(`${executable} listens on ${where}`)
}

export const kind = probeKind({
  looksAt: 'who holds a listening port, or every port that is open to the network, and that no other is open',
  from: 'beside the service',
  schema,
  executables: ({ executable }) => [executable],
  run,
})
