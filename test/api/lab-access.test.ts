// Entering a lab without an account: tickets, visitors and invitations, and what a thief, a foreign page, a watcher and a removed guest
// get: nothing.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient as createTypedClient } from '../../src/client/client.ts'
import type { SandboxEvent } from '../../src/contract/event.ts'
import type { LabAccess, NewInvitation } from '../../src/contract/lab-access.ts'
import { terminalCloseCodes, terminalLimits } from '../../src/contract/terminal.ts'
import { createClient, inDatabase, type MortalLab, smallCatalog, startLab, startMortalLab } from '../support/server.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { connectTerminal } from '../support/terminal.ts'

let lab: MortalLab
let session: { session_id: string; id: string; terminal_url: string }

beforeAll(async () => {
  lab = await startMortalLab({
    ...smallCatalog,
    LAB_LOG_LEVEL: 'trace',
    LAB_ACCOUNT_SANDBOXES: '3',
    LAB_ANONYMOUS_SANDBOXES: '2',
    LAB_INVITATIONS: '3',
    LAB_GUESTS: '3',
    LAB_EVALUATION_SPACING_SECONDS: '0',
  })
  session = await start()
})
afterAll(() => lab?.close())

/** Everything secret that a test was told; none of it may be in the log. */
const secrets = new Set<string>()
const keep = <T>(answered: T): T => {
  for (const text of JSON.stringify(answered).match(/ilab_lab_[\w-]+|#(?:ticket|invitation)=[\w.-]+|(?<="ticket":")[^"]+/g) ?? [])
    secrets.add(text.replace(/^#\w+=/, ''))
  return answered
}
const start = async () => keep((await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body)
const read = async ({ id } = session) => keep((await lab.call('GET', `/sandbox/${id}`)).body)
const ticketIn = (url: string) => /#(?:ticket|invitation)=(.+)$/.exec(url)?.[1] ?? ''
const nobody = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  createClient(lab.url())(method, `/api/v1${path}`, body, headers)
const redeem = (ticket: string) => nobody('POST', '/labs/access', { ticket })
const enter = async (url: string): Promise<LabAccess> => {
  const { status, body } = await redeem(ticketIn(url))
  expect([status, body]).toEqual([200, expect.anything()])
  return keep(body)
}
const as =
  (token: string) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    createClient(lab.url(), token)(method, `/api/v1${path}`, body, headers)
const invite = async (role: 'watcher' | 'partner', { id } = session): Promise<NewInvitation> => {
  const { status, body } = await lab.call('POST', `/sandbox/${id}/invitations`, { role })
  expect([status, body]).toEqual([201, expect.anything()])
  return keep(body)
}
const endAll = ({ id } = session) => lab.call('DELETE', `/sandbox/${id}/invitations`)

const follow = (token: string, id = session.id) => {
  const over = new AbortController()
  const events: SandboxEvent[] = []
  const done = (async () => {
    const client = createTypedClient({ rootUrl: lab.url(), token })
    for await (const event of client.follow(id, { signal: over.signal })) events.push(event)
  })()
  const seen = async <Name extends SandboxEvent['event']>(name: Name, isWanted: (data: never) => boolean = () => true) => {
    const find = () => events.findLast((event) => event.event === name && isWanted(event.data as never))
    await expect.poll(() => find() !== undefined, { timeout: 20_000 }).toBe(true)
    return find()?.data as never
  }
  return { events, seen, done, close: () => over.abort() }
}

const openTerminal = async (hello: Record<string, unknown>, url = lab.url()) => {
  const terminal = await connectTerminal(url)
  terminal.control({ columns: 80, rows: 24, ...hello })
  return terminal
}
const ownTerminal = async (url = lab.url()) => {
  const terminal = await openTerminal({ session_id: session.session_id, token: lab.token }, url)
  await terminal.hears('ready')
  await terminal.sees(/[#$] /)
  return terminal
}
type Terminal = Awaited<ReturnType<typeof ownTerminal>>
const idOf = (terminal: Terminal) => (terminal.ready() as { terminal_id: string }).terminal_id

describe('a ticket', () => {
  it('is in the fragment of the page, another one with each answer, and opens exactly its sandbox', async () => {
    const { terminal_url } = await read()
    expect(terminal_url).toMatch(new RegExp(`^${lab.url()}/labs/${session.id}#ticket=[\\w.]+$`))
    expect(terminal_url).not.toBe(session.terminal_url)
    const { token, role, sandbox_id } = await enter(terminal_url)
    expect([role, sandbox_id]).toEqual(['owner', session.id])
    const call = as(token)
    const { status, body } = await call('GET', `/sandbox/${session.id}`)
    expect([status, body.session_id]).toEqual([200, session.session_id])
    expect((await call('POST', '/sandbox/exec', { session_id: session.session_id, command: 'echo in' })).body.stdout).toBe('in\n')
    expect((await call('POST', '/sandbox/extend', { session_id: session.session_id })).status).toBe(200)
    const terminal = await openTerminal({ token })
    await terminal.hears('ready')
    terminal.socket.close()
    const events = follow(token)
    await events.seen('snapshot')
    events.close()
  })

  it('gives nothing of the account, nor another sandbox', async () => {
    const other = await start()
    const call = as((await enter((await read()).terminal_url)).token)
    for (const path of ['/auth/me', '/sandbox', '/evaluations', '/auth/tokens', `/sandbox/${session.id}/recordings`, '/operator/sandboxes'])
      expect((await call('GET', path)).status, path).toBe(401)
    expect((await call('POST', '/sandbox/start', { course_id: 'scenario-01' })).status).toBe(401)
    expect((await call('POST', '/sandbox/give-up', { session_id: session.session_id })).status).toBe(401)
    expect((await call('GET', `/sandbox/${other.id}`)).status).toBe(404)
    expect((await call('GET', `/sandbox/${other.id}/events`)).status).toBe(404)
    expect((await call('POST', '/sandbox/stop', { session_id: other.session_id })).status).toBe(404)
    await lab.call('POST', '/sandbox/stop', { session_id: other.session_id })
  })

  it('opens nothing in a sandbox that may still be undone with its batch', async () => {
    const start = { method: 'POST', path: '/sandbox/start', body: { course_id: 'scenario-01' } }
    const batch = lab.call('POST', '/batch', { mode: 'atomic', requests: [start, start, { method: 'GET', path: '/courses/nothing' }] })
    const early = async () =>
      ((await lab.call('GET', '/sandbox')).body.items as (typeof session & { status: string })[]).find(
        ({ id, status }) => id !== session.id && status === 'running',
      )
    await expect.poll(async () => (await early()) !== undefined, { interval: 20 }).toBe(true)
    const { status, body } = await redeem(ticketIn((await early())?.terminal_url ?? ''))
    if (status === 200) {
      const terminal = await openTerminal({ token: keep(body).token })
      expect(await terminal.closed).toBe(terminalCloseCodes.refused)
      expect(['sandbox_not_running', 'not_found']).toContain(terminal.errorCode())
    }
    expect((await batch).body.responses.at(-1).status).toBe(404)
  })

  it('works once, also when many try at the same time', async () => {
    const ticket = ticketIn((await read()).terminal_url)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(ticket)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7)
    expect((await redeem(ticket)).body.error.code).toBe('unauthorized')
  })

  it('is followed by another, which replaces the token; one that was used is worth nothing', async () => {
    const first = await enter((await read()).terminal_url)
    const { body: second } = await redeem(first.ticket)
    keep(second)
    expect((await as(second.token)('GET', `/sandbox/${session.id}`)).status).toBe(200)
    expect((await as(first.token)('GET', `/sandbox/${session.id}`)).status).toBe(401)
    expect((await redeem(first.ticket)).status).toBe(401)
    expect((await redeem(second.ticket)).status).toBe(200)
  })

  it('is refused when it was made up, changed, made for another sandbox or is too old', async () => {
    const ticket = ticketIn((await read()).terminal_url)
    const [id = '', seconds = '', nonce = '', mac = ''] = ticket.split('.')
    const changed = [
      'no ticket',
      'A'.repeat(43),
      `${id}.${seconds}.${nonce}.${'0'.repeat(32)}`,
      `${id}.${Number(seconds) + 60}.${nonce}.${mac}`,
      `${'0'.repeat(16)}.${seconds}.${nonce}.${mac}`,
      `${id}.${seconds}.${nonce}.${mac}.x`,
    ]
    for (const one of changed) expect((await redeem(one)).status, one).toBe(401)
    expect((await redeem(ticket)).status).toBe(200)
  })

  it('of a sandbox that has ended says so', async () => {
    const other = await start()
    const access = await enter((await read(other)).terminal_url)
    const { terminal_url } = await read(other)
    await lab.call('POST', '/sandbox/stop', { session_id: other.session_id })
    const { status, body } = await redeem(ticketIn(terminal_url))
    expect([status, body.error.code]).toEqual([409, 'sandbox_not_running'])
    expect((await read(other)).terminal_url).toBeUndefined()
    const ended = await as(access.token)('GET', `/sandbox/${other.id}`)
    expect([ended.status, ended.body.status]).toEqual([200, 'terminated'])
  })

  it('gives a token whose writes are carried out once under one key, and whose secrets are told once', async () => {
    const other = await start()
    const call = as((await enter((await read(other)).terminal_url)).token)
    const neighbour = as((await enter((await read(other)).terminal_url)).token)
    const { session_id, id } = other
    const twice = async (path: string, body: object) => {
      const key = { 'idempotency-key': randomUUID() }
      const [first, again] = [await call('POST', path, body, key), await call('POST', path, body, key)]
      expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
      return { first, again, key }
    }
    const hint = await twice('/sandbox/hint', { session_id })
    expect([hint.first.status, hint.again.status, hint.again.body]).toEqual([200, 200, hint.first.body])
    expect((await call('POST', '/sandbox/eval', { session_id })).body.hints_used).toBe(1)
    await twice('/sandbox/exec', { session_id, command: 'echo ran >> /tmp/runs' })
    expect((await call('POST', '/sandbox/exec', { session_id, command: 'cat /tmp/runs' })).body.stdout).toBe('ran\n')
    const extended = await twice('/sandbox/extend', { session_id })
    expect(extended.again.body).toEqual({ ...extended.first.body, terminal_url: expect.any(String) })
    expect((await neighbour('POST', '/sandbox/extend', { session_id }, extended.key)).headers.get('idempotent-replayed')).toBeNull()

    const invited = await twice(`/sandbox/${id}/invitations`, { role: 'watcher' })
    expect([invited.first.status, invited.again.status]).toEqual([201, 409])
    expect(invited.again.body.error.code).toBe('idempotency_answer_not_kept')
    expect((await call('GET', `/sandbox/${id}/invitations`)).body.items).toHaveLength(1)
    const told = keep(invited.first.body).invitation_url
    const stored = inDatabase(lab.dataDir, (database) => JSON.stringify(database.prepare('select * from request').all()))
    for (const secret of [ticketIn(told), session_id, ...secrets]) expect(stored).not.toContain(secret)
    await lab.call('POST', '/sandbox/stop', { session_id })
  })

  it('is stored as a hash only', async () => {
    const { token, ticket } = await enter((await read()).terminal_url)
    const rows = inDatabase(lab.dataDir, (database) => JSON.stringify(database.prepare('select * from lab_access').all()))
    for (const secret of [token, ticket, ...secrets]) expect(rows).not.toContain(secret)
  })
})

describe('a visitor', () => {
  const page = { 'sec-fetch-site': 'same-origin' }
  const cookieIn = (headers: Headers) => /lab_visitor=[^;]+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? ''

  it('starts without an account, comes back by a cookie, and is not found by others', async () => {
    const started = await nobody('POST', '/visitor/labs', { course_id: 'scenario-01' }, page)
    expect(started.status).toBe(201)
    expect(started.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/)
    const { id, ticket } = keep(started.body)
    const cookie = { cookie: cookieIn(started.headers) }
    expect((await redeem(ticket)).status).toBe(200)
    expect((await nobody('GET', '/visitor/labs', undefined, cookie)).body.items).toMatchObject([{ id, course_id: 'scenario-01' }])
    expect((await nobody('GET', '/visitor/labs')).body.items).toEqual([])
    const again = await nobody('POST', `/visitor/labs/${id}/ticket`, undefined, { ...page, ...cookie })
    const { body: access } = await redeem(keep(again.body).ticket)
    expect((await nobody('POST', `/visitor/labs/${id}/ticket`, undefined, page)).status).toBe(404)
    expect((await nobody('POST', `/visitor/labs/${session.id}/ticket`, undefined, { ...page, ...cookie })).status).toBe(404)
    expect((await nobody('GET', '/sandbox', undefined, cookie)).status).toBe(401)
    const call = as(keep(access).token)
    await expect.poll(async () => (await call('GET', `/sandbox/${id}`)).body.status, { timeout: 60_000 }).toBe('running')
    const { session_id } = (await call('GET', `/sandbox/${id}`)).body
    const evaluate = async () => (await call('POST', '/sandbox/eval', { session_id })).body
    expect(await evaluate()).not.toHaveProperty('debrief')
    await call('POST', '/sandbox/exec', { session_id, container: 'web', command: 'mv /srv/index.html /srv/www/index.html' })
    expect(await evaluate()).toMatchObject({ passed: true, debrief: expect.stringContaining('The page had been moved') })
    expect((await call('POST', '/sandbox/stop', { session_id })).body.status).toBe('terminated')
    expect((await nobody('GET', '/visitor/labs', undefined, cookie)).body.items).toEqual([])
  })

  it('is a person on a page of this service', async () => {
    const foreign: Record<string, string>[] = [{}, { origin: 'https://elsewhere.example' }, { 'sec-fetch-site': 'cross-site' }]
    for (const headers of foreign) {
      const { status, body } = await nobody('POST', '/visitor/labs', { course_id: 'scenario-01' }, headers)
      expect([status, body.error.code]).toEqual([403, 'cross_site_request'])
    }
  })
})

describe('a guest', () => {
  it('who watches sees the terminals that are open, and what was and is printed', async () => {
    const own = await ownTerminal()
    own.type('echo before-$((40 + 2))\n')
    await own.sees(/before-42/)
    const { token, role } = await enter((await invite('watcher')).invitation_url)
    expect(role).toBe('watcher')
    const events = follow(token)
    const snapshot = (await events.seen('snapshot')) as { terminals: { terminal_id: string }[]; guests: object }
    expect(snapshot.terminals.map(({ terminal_id }) => terminal_id)).toContain(idOf(own))
    expect(snapshot.guests).toEqual({ partners: 0, watchers: 1 })
    expect(JSON.stringify(snapshot)).not.toContain(session.session_id)
    const watching = await openTerminal({ token, terminal_id: idOf(own) })
    await watching.sees(/before-42/)
    own.type('echo now-$((40 + 2))\n')
    await watching.sees(/now-42/)
    own.control({ resize: { columns: 101, rows: 31 } })
    await expect.poll(() => watching.events).toContainEqual({ size: { columns: 101, rows: 31 } })
    const second = await ownTerminal()
    const hasKeys = (terminal: Terminal) =>
      events.seen('terminals', ({ open }: { open: { terminal_id: string; has_keys: boolean }[] }) => {
        const withKeys = open.filter(({ has_keys }) => has_keys).map(({ terminal_id }) => terminal_id)
        return withKeys.length === 1 && withKeys[0] === idOf(terminal)
      })
    second.control({ keys: true })
    await hasKeys(second)
    own.control({ keys: true })
    await hasKeys(own)
    second.socket.close(1000)
    own.socket.close(1000)
    expect(await watching.closed).toBe(terminalCloseCodes.ended)
    const proxy = await openTcpProxy(lab.url())
    const left = await ownTerminal(proxy.url)
    const isSaid = (attended: boolean) =>
      events.seen('terminals', ({ open }: { open: { terminal_id: string; attended: boolean }[] }) =>
        open.some((one) => one.terminal_id === idOf(left) && one.attended === attended),
      )
    await isSaid(true)
    proxy.cutAll()
    await isSaid(false)
    await proxy.close()
    events.close()
    await endAll()
  })

  it('who watches may not type, resize, grade, take hints, extend, restart, stop, invite or read the session', async () => {
    const own = await ownTerminal()
    const { token } = await enter((await invite('watcher')).invitation_url)
    const typing = await openTerminal({ token, terminal_id: idOf(own) })
    await typing.hears('ready')
    typing.type('echo typed-by-a-watcher\n')
    expect(await typing.closed).toBe(terminalCloseCodes.refused)
    expect(typing.errorCode()).toBe('forbidden')
    const claiming = await openTerminal({ token, terminal_id: idOf(own) })
    await claiming.hears('ready')
    claiming.control({ keys: true })
    expect(await claiming.closed).toBe(terminalCloseCodes.refused)
    expect(claiming.errorCode()).toBe('forbidden')
    const resizing = await openTerminal({ token, terminal_id: idOf(own) })
    await resizing.hears('ready')
    resizing.control({ resize: { columns: 10, rows: 10 } })
    expect(await resizing.closed).toBe(terminalCloseCodes.refused)
    const opening = await openTerminal({ token })
    expect(await opening.closed).toBe(terminalCloseCodes.refused)
    const call = as(token)
    const { session_id, id } = session
    for (const path of ['eval', 'hint', 'extend', 'restart', 'stop'])
      expect((await call('POST', `/sandbox/${path}`, { session_id })).status, path).toBe(403)
    expect((await call('POST', '/sandbox/exec', { session_id, command: 'true' })).status).toBe(403)
    expect((await call('GET', `/sandbox/${id}`)).status).toBe(403)
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/sandbox/${id}/invitations`)).status).toBe(403)
    expect((await call('POST', `/sandbox/${id}/invitations`, { role: 'partner' })).status).toBe(403)
    own.type('echo still-$((40 + 2))\n')
    await own.sees(/still-42/)
    expect(own.text()).not.toContain('typed-by-a-watcher')
    own.socket.close(1000)
    await endAll()
  })

  it('who is a partner types into the same shell, and decides nothing else', async () => {
    const own = await ownTerminal()
    const { token } = await enter((await invite('partner')).invitation_url)
    const partner = await openTerminal({ token, terminal_id: idOf(own) })
    await partner.hears('ready')
    partner.type('echo by-a-partner-$((40 + 2))\n')
    await Promise.all([own.sees(/by-a-partner-42/), partner.sees(/by-a-partner-42/)])
    expect((await as(token)('POST', '/sandbox/eval', { session_id: session.session_id })).status).toBe(403)
    partner.control({ resize: { columns: 10, rows: 10 } })
    expect(await partner.closed).toBe(terminalCloseCodes.refused)
    own.type('echo alive-$((40 + 2))\n')
    await own.sees(/alive-42/)
    own.socket.close(1000)
    await endAll()
  })

  it('who asks for what was never printed is refused, and gets none of the memory of the service', async () => {
    const own = await ownTerminal()
    const { token } = await enter((await invite('watcher')).invitation_url)
    const printed = own.bytes().length
    for (const offset of [printed + 1, printed + 4096, 1e9]) {
      const asking = await openTerminal({ token, terminal_id: idOf(own), offset })
      expect(await asking.closed).toBe(terminalCloseCodes.refused)
      expect([asking.errorCode(), asking.bytes().length]).toEqual(['invalid_request', 0])
    }
    own.socket.close(1000)
    await endAll()
  })

  it('who follows a terminal very often is refused', async () => {
    const own = await ownTerminal()
    const { token } = await enter((await invite('watcher')).invitation_url)
    const following = await Promise.all(
      Array.from({ length: terminalLimits.perSandbox }, () => openTerminal({ token, terminal_id: idOf(own) })),
    )
    for (const one of following) await one.hears('ready')
    const beyond = await openTerminal({ token, terminal_id: idOf(own) })
    expect(await beyond.closed).toBe(terminalCloseCodes.refused)
    expect(beyond.errorCode()).toBe('too_many_connections')
    own.socket.close(1000)
    await Promise.all(following.map(({ closed }) => closed))
    await endAll()
  })

  it('who does not read holds nobody up', async () => {
    const own = await ownTerminal()
    const { token } = await enter((await invite('watcher')).invitation_url)
    const slow = await openTerminal({ token, terminal_id: idOf(own) })
    await slow.hears('ready')
    slow.stopReading()
    own.type('seq 1 400000 | tail -c 2500000; echo the-end-$((40 + 2))\n')
    await own.sees(/the-end-42/)
    own.socket.close(1000)
    slow.socket.close()
    await endAll()
  })

  it('is out at once when the invitation ends, from terminals and events, and cannot come back', async () => {
    const own = await ownTerminal()
    const owner = follow(lab.token)
    const [first, second] = [await invite('watcher'), await invite('partner')]
    const [gone, stays] = [await enter(first.invitation_url), await enter(second.invitation_url)]
    const [goneEvents, staysEvents] = [follow(gone.token), follow(stays.token)]
    await Promise.all([goneEvents.seen('snapshot'), staysEvents.seen('snapshot')])
    await owner.seen('guests', ({ partners, watchers }: { partners: number; watchers: number }) => partners === 1 && watchers === 1)
    const { items } = (await lab.call('GET', `/sandbox/${session.id}/invitations`)).body
    expect(items.map(({ role, guests }: { role: string; guests: number }) => [role, guests])).toEqual([
      ['watcher', 1],
      ['partner', 1],
    ])
    const terminals = [
      await openTerminal({ token: gone.token, terminal_id: idOf(own) }),
      await openTerminal({ token: stays.token, terminal_id: idOf(own) }),
    ]
    for (const terminal of terminals) await terminal.hears('ready')

    expect((await lab.call('DELETE', `/sandbox/${session.id}/invitations/${first.id}`)).body).toEqual({ id: first.id, role: 'watcher' })
    expect(await terminals[0]?.closed).toBe(terminalCloseCodes.removed)
    expect(terminals[0]?.events.at(-1)).toEqual({ removed: true })
    await goneEvents.seen('removed')
    await goneEvents.done
    await owner.seen('guests', ({ partners, watchers }: { partners: number; watchers: number }) => partners === 1 && watchers === 0)
    expect((await as(gone.token)('GET', `/sandbox/${session.id}/events`)).status).toBe(401)
    expect((await redeem(gone.ticket)).status).toBe(401)
    expect((await redeem(ticketIn(first.invitation_url))).status).toBe(401)
    const back = await openTerminal({ token: gone.token, terminal_id: idOf(own) })
    expect(await back.closed).toBe(terminalCloseCodes.refused)
    expect((await lab.call('DELETE', `/sandbox/${session.id}/invitations/${first.id}`)).status).toBe(404)

    terminals[1]?.type('echo partner-stays-$((40 + 2))\n')
    await own.sees(/partner-stays-42/)
    expect((await endAll()).body.items).toHaveLength(1)
    expect(await terminals[1]?.closed).toBe(terminalCloseCodes.removed)
    await staysEvents.done
    owner.close()
    own.socket.close(1000)
  })

  it('comes back by its next ticket, and only so many are let in', async () => {
    const invitation = await invite('watcher')
    const guests = [await enter(invitation.invitation_url), await enter(invitation.invitation_url), await enter(invitation.invitation_url)]
    const { status, body } = await redeem(ticketIn(invitation.invitation_url))
    expect([status, body.error.code]).toEqual([429, 'too_many_connections'])
    expect(keep((await redeem(guests[0]?.ticket ?? '')).body).role).toBe('watcher')
    await invite('watcher')
    await invite('partner')
    const beyond = await lab.call('POST', `/sandbox/${session.id}/invitations`, { role: 'watcher' })
    expect([beyond.status, beyond.body.error.code]).toEqual([409, 'invitation_limit_reached'])
    await endAll()
  })
})

describe('pages of other sites', () => {
  it('open no terminal, and follow no events by a cookie', async () => {
    const { token } = await enter((await read()).terminal_url)
    await expect(connectTerminal(lab.url(), { origin: 'https://elsewhere.example' })).rejects.toBeDefined()
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
    expect((await nobody('GET', `/sandbox/${session.id}/events`, undefined, headers)).status).toBe(401)
    const { status } = await nobody('GET', `/sandbox/${session.id}/invitations`, undefined, {
      ...headers,
      authorization: `Bearer ${token}`,
    })
    expect(status, 'a token that a page was given works anywhere: it is no cookie').toBe(200)
  })
})

describe('limits', () => {
  let limited: Awaited<ReturnType<typeof startLab>>
  beforeAll(async () => {
    limited = await startLab({ ...smallCatalog, LAB_RATE_LIMIT_SCALE: '1' })
  })
  afterAll(() => limited?.close())

  it('are the same however many tokens of a lab somebody has, and those of the network where a token opens nothing', async () => {
    const { body } = await limited.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    const tokenBy = async (url: string) => {
      const answer = await createClient(limited.url)('POST', '/api/v1/labs/access', { ticket: ticketIn(url) })
      return { token: answer.body.token as string, left: Number(answer.headers.get('ratelimit-remaining')) }
    }
    const left = async (path: string, token?: string) => {
      const { status, headers } = await createClient(limited.url, token)('GET', `/api/v1${path}`)
      expect(status).toBe(200)
      return Number(headers.get('ratelimit-remaining'))
    }
    const first = await tokenBy(body.terminal_url)
    const second = await tokenBy((await limited.call('GET', `/api/v1/sandbox/${body.id}`)).body.terminal_url)
    expect(second.left).toBeLessThan(first.left)
    const before = await left(`/sandbox/${body.id}`, first.token)
    for (let index = 0; index < 5; index += 1) await left(`/sandbox/${body.id}`, first.token)
    expect(await left(`/sandbox/${body.id}`, second.token)).toBeLessThan(before)
    const ofNetwork = await left('/glossary?limit=1')
    for (let index = 0; index < 5; index += 1) await left('/glossary?limit=1', second.token)
    expect(await left('/glossary?limit=1')).toBeLessThan(ofNetwork - 3)
  })

  it('bound guesses of tickets and tokens, as for other credentials', async () => {
    const call = createClient(limited.url)
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await call('POST', '/api/v1/labs/access', { ticket: 'A'.repeat(43) })).status),
    )
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    const wrong = { authorization: `Bearer ilab_lab_${'A'.repeat(43)}` }
    const guesses = await Promise.all(Array.from({ length: 40 }, () => call('GET', '/api/v1/health', undefined, wrong)))
    const limitedOnes = guesses.filter(({ status }) => status === 429)
    expect(limitedOnes.length).toBeGreaterThan(10)
    for (const { headers } of limitedOnes) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(guesses.every(({ status }) => status === 401 || status === 429)).toBe(true)
  })
})

describe('the log', () => {
  it('holds no ticket, token or secret of an invitation', () => {
    expect(secrets.size).toBeGreaterThan(20)
    const log = lab.log()
    expect(log).toContain('/labs/access')
    for (const secret of secrets) expect(log).not.toContain(secret)
  })
})
