// The MCP server card: a description of the endpoint for discovery, at the endpoint and at a well-known path.

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { version } from '../version.ts'

/** The stateless revision of the protocol; the SDK lists those with a handshake. */
const modernRevision = '2026-07-28'

export const createCard = (endpoint: string, rootUrl: string) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'com.incident-lab/incident-lab',
  title: 'Incident Lab',
  version,
  description: 'Real, isolated, broken multi-container systems to repair, and a proof of the repair.',
  websiteUrl: rootUrl,
  remotes: [
    {
      type: 'streamable-http',
      url: endpoint,
      supportedProtocolVersions: [modernRevision, ...SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision >= '2025-03-26')],
    },
  ],
})

export const createDiscovery = (endpoint: string, rootUrl: string, tools: readonly string[]) => ({
  ...createCard(endpoint, rootUrl),
  endpoints: { streamable_http: endpoint },
  authentication: { required: false },
  tools,
})
