// The MCP server card: a description of the endpoints for discovery, at the endpoint and at a well-known path. It has the only list of
// protocol versions that are served.

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { version } from '../version.ts'

/** The stateless revision of the protocol; the SDK lists those with a handshake. */
const modernRevision = '2026-07-28'
/** The revisions that began with each transport. */
const [firstOverSse, firstStreamable] = ['2024-11-05', '2025-03-26']

const since = (first: string) => SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision >= first)

/** Newest first. */
export const protocolVersions = { streamableHttp: [modernRevision, ...since(firstStreamable)], sse: since(firstOverSse) }

export const createCard = (endpoint: string, rootUrl: string) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'com.incident-lab/incident-lab',
  title: 'Incident Lab',
  version,
  description: 'Real, isolated, broken multi-container systems to repair, and a proof of the repair.',
  websiteUrl: rootUrl,
  remotes: [
    { type: 'streamable-http', url: endpoint, supportedProtocolVersions: protocolVersions.streamableHttp },
    { type: 'sse', url: `${endpoint}/sse`, supportedProtocolVersions: protocolVersions.sse },
  ],
})

export const createDiscovery = (endpoint: string, rootUrl: string, tools: readonly string[]) => ({
  ...createCard(endpoint, rootUrl),
  endpoints: { streamable_http: endpoint, sse: `${endpoint}/sse` },
  authentication: { required: false },
  tools,
})
