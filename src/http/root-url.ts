// The root URL of the host that a request asked for.

import type { FastifyRequest } from 'fastify'

export const rootUrlOf = ({ server, headers }: FastifyRequest): string => server.hosts.rootUrlFor(headers.host)
