// Connects an agent: what to copy into which client, with the address that the reader uses.

import { useState } from 'preact/hooks'
import { basePath } from '../../../src/contract/api-version.ts'
import { useTitle } from '../page.ts'
import { pathTo } from '../route.ts'
import { CopyText } from '../ui/copy-text.tsx'
import { mcpClients } from './mcp-clients.ts'

const placeholder = 'ilab_pat_...'

export const ConnectPage = () => {
  useTitle('Connect your agent')
  const [hasToken, setToken] = useState(false)
  const url = `${location.origin}${basePath}/mcp`
  return (
    <div class="connect">
      <div class="intro">
        <h1>Connect your agent</h1>
        <p class="lead">
          An agent works through MCP: it reads the ticket, runs commands on every machine and has its repair graded. It needs this address
          and nothing else.
        </p>
      </div>
      <CopyText text={url} what="the address" />
      <label class="check">
        <input type="checkbox" checked={hasToken} onChange={() => setToken(!hasToken)} />
        <span>Act for my account, with a personal access token</span>
      </label>
      <p class="muted small">
        {hasToken ? (
          <>
            Put a token of yours in place of {placeholder}: <a href={pathTo('tokens')}>create one</a>.
          </>
        ) : (
          'Without a token an agent may have one sandbox at a time, and courses that need no account.'
        )}
      </p>
      <div class="clients">
        {mcpClients(url, hasToken ? placeholder : null).map(({ name, where, text }) => (
          <section key={name} class="client" aria-label={name}>
            <div class="client-head">
              <h2>{name}</h2>
              <span class="muted small mono">{where}</span>
            </div>
            <CopyText text={text} what={`the configuration for ${name}`} />
          </section>
        ))}
      </div>
      <section class="panel" aria-labelledby="then">
        <h2 id="then">Then say</h2>
        <CopyText text="Start a drill of Incident Lab, repair the system, and have it graded." what="the first sentence" />
        <p class="muted">
          The tools are <code>start_drill</code>, <code>exec_in_sandbox</code>, <code>grade_drill</code>, <code>stop_drill</code> and more
          for courses, hints and long commands. A script uses the <a href="/docs">REST API</a>; <a href="/llms.txt">llms.txt</a> shows a
          whole drill.
        </p>
      </section>
    </div>
  )
}
