// Probe: which addresses a service is connected to.

import { z } from 'zod'
import { differs, holds } from '../observation.ts'
import { type Look, probeKind } from '../probe-kind.ts'
import { serviceName } from '../values.ts'

const schema = z.strictObject({
  in: serviceName.describe('The service whose connections are looked at.'),
  only: z.array(serviceName).describe('The services that it may connect to; its own name stands for itself.'),
})

const Answer = z.object({ peers: z.array(z.object({ address: z.string(), port: z.int() })) })

/** Whom a service has connected to, as the kernel shows it: what its configuration says may be for show. */
const look: Look<typeof schema> = async ({ in: service, only }, { observer }) => {
  const [state, { peers }] = await Promise.all([
    observer.engine.describe(observer.sandbox),
    observer.look(service, { look: 'peers' }, Answer),
  ])
  const nameOf = (address: string) =>
    address.startsWith('127.') ? service : (state?.services.find((entry) => entry.addresses.includes(address))?.name ?? 'somebody else')
  const stranger = peers.find(({ address }) => !only.includes(nameOf(address)))
  if (stranger === undefined) return holds(`${service} talks to nobody but ${only.join(', ') || 'those who call it'}`)
  const name = nameOf(stranger.address)
  return differs(`${service} talks to ${name === service ? 'itself' : name} on port ${stranger.port}`)
}

export const kind = probeKind({
  looksAt: 'whom a service has connected to, whatever its configuration says',
  from: 'beside the service',
  schema,
  look,
})
