// Probe: which addresses a service is connected to.

import { z } from 'zod'
import { serviceName } from '../field-schemas.ts'
import { differs, holds } from '../observation.ts'
import { probeKind, type RunProbe } from '../probe-kind.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service whose connections are looked at.'),
  only: z.array(serviceName).describe('The services that it may connect to; its own name stands for itself.'),
})

const Answer = z.object({ peers: z.array(z.object({ address: z.string(), port: z.int() })) })

/** Outgoing connections as the kernel shows them: the configuration of the service need not be what it really uses. */
const run: RunProbe<typeof schema> = async ({ in: service, only }, { observer }) => {
  const [state, { peers }] = await Promise.all([
    observer.engine.describe(observer.sandbox),
    observer.inspect(service, { inspection: 'peers' }, Answer),
  ])
  const nameOf = (address: string) =>
    address.startsWith('127.')
      ? service
      : (state?.services.find((entry) => entry.addresses.includes(address))?.name ?? 'an unknown address')
  const stranger = peers.find(({ address }) => !only.includes(nameOf(address)))
  if (stranger === undefined)
    return holds(only.length === 0 ? `${service} has no outgoing connections` : `${service} connects only to ${only.join(', ')}`)
  const name = nameOf(stranger.address)
  return differs(`${service} connects to ${name === service ? 'itself' : name} on port ${stranger.port}`)
}

export const kind = probeKind({
  looksAt: 'whom a service has connected to, whatever its configuration says',
  from: 'beside the service',
  schema,
  run,
})
