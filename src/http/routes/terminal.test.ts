// Guests at the edge of terminals, on a real server and a store in memory, and shells without a container.

import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { type EnteredLab, holdTokens, openEnteredLab, openTerminals } from '../../../test/support/entered-lab.ts'
import { connectTerminal } from '../../../test/support/terminal.ts'
import { basePath } from '../../contract/api-version.ts'
import { terminalCloseCodes } from '../../contract/terminal.ts'
import { createAccess } from '../../sandboxes/access.ts'
import { createGuestOutput } from '../../sandboxes/run/guest-output.ts'
import type { Shell } from '../../sandboxes/run/shared-shell.ts'
import { createSessionIds } from '../../sandboxes/session-id.ts'
import { routes } from './terminal.ts'

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

/** A server with one open shell. */
const open = async (lab: EnteredLab) => {
  const { terminals, gradingLock, typed } = openTerminals(lab)
  const shell = await terminals.open(lab.row, { columns: 80, rows: 24 }, () => undefined)
  const followers = { count: 0 }
  const counted = (followed: Shell): Shell => ({
    ...followed,
    follow: (follower) => {
      followers.count += 1
      const leave = followed.follow(follower)
      return () => {
        followers.count -= 1
        leave()
      }
    },
  })
  const { store, labEntry, invitations, presences } = lab
  const access = createAccess({ store: store.sandboxes, batches: store.batches, sessionIds: createSessionIds('x'.repeat(32)) })
  const openShell: typeof terminals.openShell = (...given) => counted(terminals.openShell(...given))
  const features = { labEntry, invitations, presences, access, terminals: { ...terminals, openShell } }
  const guestOutput = createGuestOutput({ bytesPerSecond: 1024 * 1024 })
  const app = Fastify({ forceCloseConnections: true })
  apps.push(app)
  app.decorateRequest('caller', null)
  await app.register(async (api) => routes(api as never, { ...features, guestOutput } as never, undefined as never), { prefix: basePath })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const connect = async (token: string) => {
    const terminal = await connectTerminal(url)
    terminal.control({ token, terminal_id: shell.id, columns: 80, rows: 24 })
    return terminal
  }
  return { connect, followers, gradingLock, typed }
}

describe('a guest who is removed', () => {
  it('types nothing that was waiting for the end of an evaluation', async () => {
    const lab = await openEnteredLab()
    const { connect, gradingLock, typed } = await open(lab)
    const [leaving, staying] = [await lab.invite('partner'), await lab.invite('partner')]
    const [gone, stays] = [await connect((await leaving.admit()).token), await connect((await staying.admit()).token)]
    await Promise.all([gone.hears('ready'), stays.hears('ready')])
    const graded = Promise.withResolvers<void>()
    const grading = gradingLock.hold(lab.row.id, () => graded.promise)
    for (const guest of [gone, stays]) guest.type(guest === gone ? 'by one who is gone' : 'by one who stays')
    await Promise.all([gone.hears('warning'), stays.hears('warning')])
    await lab.invitations.endOne(lab.row, leaving.id)
    graded.resolve()
    await grading
    await expect.poll(() => typed).toEqual(['by one who stays'])
    expect(await gone.closed).toBe(terminalCloseCodes.removed)
    stays.type('!')
    await expect.poll(() => typed).toEqual(['by one who stays', '!'])
  })

  it('follows nothing from then on, although its client does not answer the close', async () => {
    const lab = await openEnteredLab()
    const { connect, followers } = await open(lab)
    const { id, admit } = await lab.invite('watcher')
    const { token } = await admit()
    const guest = await connect(token)
    await guest.hears('ready')
    expect(followers.count).toBe(1)
    guest.stopReading()
    await lab.invitations.endOne(lab.row, id)
    expect(followers.count).toBe(0)
  })

  it('while its token is being looked up is out at once, and sees nothing', async () => {
    const tokens = holdTokens()
    const lab = await openEnteredLab(tokens)
    const { connect, followers } = await open(lab)
    const { id, admit } = await lab.invite('watcher')
    const { token } = await admit()
    tokens.hold()
    const guest = await connect(token)
    await tokens.found
    await lab.invitations.endOne(lab.row, id)
    tokens.release()
    await expect.poll(() => guest.events, { timeout: 5000 }).toEqual([{ removed: true }])
    expect([await guest.closed, followers.count, guest.bytes().length]).toEqual([terminalCloseCodes.removed, 0, 0])
  })
})
