// How many connections and event streams may be open. Part of limits.ts.

export const connectionLimits = {
  connections: {
    env: 'LAB_CONNECTIONS',
    means: 'Open connections in all, terminals included.',
    least: 1,
    most: 1_000_000,
    default: 5_000,
  },
  networkConnections: {
    env: 'LAB_NETWORK_CONNECTIONS',
    public: 'connections_per_network',
    means: 'Open connections of one IPv4 address or IPv6 /64, terminals included.',
    least: 1,
    most: 1_000_000,
    default: 500,
  },
  mcpStreams: {
    env: 'LAB_MCP_STREAMS',
    means: 'Open event streams of the old MCP transport in all.',
    least: 0,
    most: 1_000_000,
    default: 1_000,
  },
  networkMcpStreams: {
    env: 'LAB_NETWORK_MCP_STREAMS',
    public: 'mcp_streams_per_network',
    means: 'Open event streams of the old MCP transport of one IPv4 address or IPv6 /64.',
    least: 0,
    most: 1_000_000,
    default: 50,
  },
  accountEventStreams: {
    env: 'LAB_ACCOUNT_EVENT_STREAMS',
    public: 'event_streams_per_account',
    means: 'Open streams of the events of sandboxes, of one account.',
    least: 0,
    most: 1_000_000,
    default: 30,
  },
  sandboxEventStreams: {
    env: 'LAB_SANDBOX_EVENT_STREAMS',
    public: 'event_streams_per_session',
    means: 'Open streams of the events of one sandbox.',
    least: 0,
    most: 10_000,
    default: 10,
  },
} as const
