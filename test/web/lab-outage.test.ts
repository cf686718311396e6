// A lab while the server or the network is away: the page says since when, and mends itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { desktop, signInTo, visit } from '../support/web.ts'
import { runCommand, screenOf, shows } from '../support/web-terminal.ts'

/** Where nobody listens. */
const nowhere = 'http://127.0.0.1:1'

let lab: MortalLab
let proxy: TcpProxy

beforeAll(async () => {
  proxy = await openTcpProxy(nowhere)
  lab = await startMortalLab({ ...smallCatalog, LAB_PUBLIC_URL: proxy.url })
})
afterAll(async () => {
  proxy?.close()
  await lab?.close()
})

/** What the browser itself reports of a server that is not there. */
const tolerated = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|WebSocket connection to/

describe('a lab', () => {
  it('outlives its server: the page says that it is away, and opens a shell when it is back', async () => {
    const { token, cookie } = await signInTo(lab.inside)
    const { body } = await createClient(lab.url(), token)('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    await visit({ url: lab.url() }, `/labs/${body.id}`, { ...desktop, cookie, tolerated }, async (page) => {
      await runCommand(page, 'echo kept > /root/kept; echo before-$((1 + 1))', 'before-2')
      await lab.kill()
      await page.getByText(/The server has not answered since \d\d:\d\d:\d\d/).waitFor()
      await page.locator('.terminal-lost').waitFor()
      expect(await screenOf(page)).toContain('before-2')
      await lab.revive()
      await shows(page, 'This is a new one')
      await page.getByText(/The server has not answered since/).waitFor({ state: 'detached' })
      await runCommand(page, 'cat /root/kept; echo after-$((1 + 1))', 'after-2')
      expect(await screenOf(page)).toMatch(/^kept$/m)
    })
  })

  it('outlives a loss of the network, in the same shell', async () => {
    const { token, cookie } = await signInTo(lab.inside)
    const { body } = await createClient(lab.url(), token)('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    proxy.connectTo(lab.url())
    await visit(proxy, `/labs/${body.id}`, { ...desktop, cookie, tolerated }, async (page) => {
      await runCommand(page, 'kept=same-shell; echo before-$((1 + 1))', 'before-2')
      proxy.connectTo(nowhere)
      proxy.cutAll()
      await page.getByText(/The connection is lost since \d\d:\d\d:\d\d/).waitFor()
      await page.getByText(/The server has not answered since/).waitFor()
      proxy.connectTo(lab.url())
      await page.locator('.terminal-lost').waitFor({ state: 'detached' })
      await runCommand(page, 'echo "after-$kept"', 'after-same-shell')
      expect(await screenOf(page)).not.toContain('This is a new one')
    })
  })
})
