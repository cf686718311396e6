// Parts of the reference that OpenAPI cannot describe: the terminal, the MCP endpoint, and how to report a vulnerability.

import { basePath } from '../../contract/api-version.ts'
import { terminalCloseCodes, terminalLimits, terminalPath } from '../../contract/terminal.ts'
import type { OpenApiDocument } from './openapi-types.ts'
import type { Chapter } from './reference-guide.ts'
import { badge } from './reference-operation.ts'
import { schemaLink } from './reference-schema.ts'
import { figure, html, json, type Part } from './reference-text.ts'

const frame = (from: string, form: string, content: Part, meaning: Part) =>
  html`<tr><th scope="row">${from}</th><td>${form}</td><td><code>${content}</code></td><td>${meaning}</td></tr>\n`

const terminal = ({ servers, components }: OpenApiDocument): Chapter => {
  const address = `${(servers[0]?.url ?? basePath).replace(/^http/, 'ws')}${terminalPath}`
  const hello = { session_id: '…', token: 'ilab_pat_…', columns: 120, rows: 40, container: 'web' }
  const ready = { ready: true, container: 'web', expires_at: '2026-11-15T13:00:00.000Z', terminal_id: 'k3v9x2m4p7q1w8e5', offset: 0 }
  return {
    id: 'terminal',
    title: 'Terminal',
    content: html`<p class="route">${badge('get')} <code>${basePath}${terminalPath}</code> as WebSocket</p>
<p>A shell in a container of your sandbox. Nothing secret is in the address: the first message says who asks, and has to come
within ${terminalLimits.helloSeconds} seconds. <code>container</code> may be left out; the workstation is the default.</p>
${figure('Address', address)}<div class="pair">${figure('First message', json(hello))}${figure('Answer', json(ready))}</div>
<table class="frames"><caption>Frames</caption><thead><tr><th scope="col">From</th><th scope="col">Form</th><th scope="col">Content</th><th scope="col">Meaning</th></tr></thead>
<tbody>${frame('you', 'text', '{"session_id", "token", "columns", "rows", "container"?, "terminal_id"?, "offset"?}', 'The first message. Columns and rows: 1 to 1000.')}${frame(
      'you',
      'binary',
      'bytes',
      'Keystrokes.',
    )}${frame('you', 'text', '{"resize": {"columns", "rows"}}', 'The window has another size.')}${frame(
      'service',
      'text',
      '{"ready": true, "container", "expires_at", "terminal_id", "offset"}',
      'The shell runs; the output that follows begins at this byte.',
    )}${frame('service', 'binary', 'bytes', 'Output.')}${frame(
      'service',
      'text',
      '{"warning"}',
      'For example that the sandbox ends soon, or is being graded.',
    )}${frame('service', 'text', '{"error": {…}}', html`The ${schemaLink('Error', components.schemas)} that ends the connection.`)}${frame(
      'service',
      'text',
      '{"replaced": true}',
      'Another connection has taken the terminal over.',
    )}${frame('service', 'text', '{"exit": true}', 'The shell has ended; the connection closes.')}</tbody></table>
<h3>Coming back</h3>
<p>When the connection is lost, the shell and what it runs go on for <code>terminal_linger_seconds</code> of the public settings. A first
message with its <code>terminal_id</code> leads back to it: the service sends what is left of the last
${terminalLimits.scrollbackBytes / 1024} KiB of output, or only what follows <code>offset</code>, the number of bytes that you have
seen, and then goes on. A second connection takes the terminal over from the first. Closing with 1000 ends the shell at once; so
does a frame that is refused. A terminal that prints much is slowed down, others are not.</p>
<p>A frame holds at most ${terminalLimits.frameBytes / 1024} KiB, and a sandbox ${terminalLimits.perSandbox} terminals at a time. The
connection closes with 1000 after the shell, 1008 after a refusal, 1009 after a frame that is too large, 1011 after a failure of ours,
${terminalCloseCodes.replaced} when another connection has taken over and 1001 when the service stops.</p>\n`,
  }
}

const mcp = ({ servers }: OpenApiDocument): Chapter => {
  const url = `${servers[0]?.url ?? basePath}/mcp`
  return {
    id: 'mcp',
    title: 'MCP',
    content: html`<p>Agents practise over the Model Context Protocol at <code>${basePath}/mcp</code> (Streamable HTTP): the tools are
<code>start_drill</code>, <code>exec_in_sandbox</code>, <code>grade_drill</code> and <code>stop_drill</code>. No credential is needed; a
personal access token attributes the drill to your account. <a href="/.well-known/mcp.json">mcp.json</a> lists transports and tools.</p>
${figure('Configuration of most clients', json({ mcpServers: { 'incident-lab': { type: 'http', url } } }))}`,
  }
}

const security = (): Chapter => ({
  id: 'security',
  title: 'Security',
  content: html`<h3>Report a weakness</h3>
<p>Tell the operator of this installation, in private and before anybody else. <a href="/.well-known/security.txt">security.txt</a> names
the contact; where it only leads back here, none is set, and the person who gave you your access is the one to tell. Say what you
did, what you saw and the <code>X-Request-Id</code> of the answers. Leave what belongs to others alone.</p>
<h3>How credentials are handled</h3>
<ul>
<li>A personal access token is shown once, when it is made. What is stored is its SHA-256 hash.</li>
<li>Every token expires, and a revoked one is refused at once.</li>
<li>Tokens begin with <code>ilab_pat_</code> and end with a checksum, so that scanners recognise a leaked one.</li>
<li>A <code>session_id</code> is a secret too: whoever has it may act in the sandbox. It is not stored; the shorter <code>id</code> is the
public name.</li>
<li>Tokens, session ids, commands and their input are kept out of the log.</li>
</ul>\n`,
})

export const channelChapters = (document: OpenApiDocument): Chapter[] => [terminal, mcp, security].map((make) => make(document))
