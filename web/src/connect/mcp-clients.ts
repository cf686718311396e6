// The configuration of common MCP clients, for an address. Pure.

export interface McpClient {
  readonly name: string
  /** Where the text belongs. */
  readonly where: string
  readonly text: string
}

const serverName = 'incident-lab'
const json = (value: unknown) => JSON.stringify(value, null, 2)

/** `token` is what stands for a personal access token; null for none. */
export const mcpClients = (url: string, token: string | null): readonly McpClient[] => {
  const bearer = token === null ? null : `Bearer ${token}`
  const headers = bearer === null ? {} : { headers: { Authorization: bearer } }
  const bridge = ['-y', 'mcp-remote', url, ...(bearer === null ? [] : ['--header', `Authorization: ${bearer}`])]
  return [
    {
      name: 'Claude Code',
      where: 'In a terminal',
      text: `claude mcp add --transport http ${serverName} ${url}${bearer === null ? '' : ` --header "Authorization: ${bearer}"`}`,
    },
    {
      name: 'Cursor',
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [serverName]: { url, ...headers } } }),
    },
    {
      name: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { [serverName]: { type: 'http', url, ...headers } } }),
    },
    {
      name: 'Codex',
      where: '~/.codex/config.toml',
      text: `[mcp_servers.${serverName}]\nurl = "${url}"${bearer === null ? '' : `\nhttp_headers = { "Authorization" = "${bearer}" }`}`,
    },
    {
      name: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      text: json({ mcpServers: { [serverName]: { httpUrl: url, ...headers } } }),
    },
    {
      name: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      text: json({ mcpServers: { [serverName]: { command: 'npx', args: bridge } } }),
    },
    {
      name: 'Any other',
      where: 'The usual configuration',
      text: json({ mcpServers: { [serverName]: { type: 'http', url, ...headers } } }),
    },
  ]
}
