// Recordings: listed, downloaded and parsed strictly, across a crash and after the sandbox has ended.

import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMember } from '../support/accounts.ts'
import { parseCast } from '../support/asciicast.ts'
import { createSender } from '../support/http.ts'
import { type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'
import { connectTerminal } from '../support/terminal.ts'
import { withoutTickets } from '../support/without-tickets.ts'

interface Recording {
  readonly recording_id: string
  readonly kind: string
  readonly container: string | null
  readonly duration_seconds: number
  readonly bytes: number
  readonly truncated: boolean
}

const cap = 300_000
let lab: MortalLab
let session: { session_id: string; id: string }

beforeAll(async () => {
  lab = await startMortalLab({ ...smallCatalog, LAB_RECORDING_BYTES: String(cap) })
  const started = await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })
  expect(started.status).toBe(200)
  session = started.body
})
afterAll(() => lab?.close())

const list = async (): Promise<Recording[]> => (await lab.call('GET', `/sandbox/${session.id}/recordings`)).body.items
const download = (id: string, as?: string) => lab.call('GET', `/sandbox/${session.id}/recordings/${id}`, undefined, {}, as)
const castOf = async (id: string) => parseCast((await download(id)).body)
const exec = (command: string, container = 'ops') =>
  lab.call('POST', '/sandbox/exec', { session_id: session.session_id, command, container })

const openTerminal = async (container = 'ops') => {
  const terminal = await connectTerminal(lab.url())
  terminal.control({ session_id: session.session_id, token: lab.token, container, columns: 90, rows: 30 })
  await terminal.hears('ready')
  await terminal.sees(/[#$] /)
  return terminal
}

describe('recordings', () => {
  it('hold what a terminal printed, and not what was typed', async () => {
    const terminal = await openTerminal()
    terminal.type('read -s -p "Password: " word; echo; echo "Fähre $((6 * 7))"\r')
    await terminal.sees(/Password: /)
    terminal.type('hunter2\r')
    await terminal.sees(/Fähre 42/)
    terminal.control({ resize: { columns: 111, rows: 33 } })
    terminal.type("printf '\\377\\376|%s|\\n' ok; exit\r")
    await terminal.closed
    const [recording] = await list()
    expect(recording).toMatchObject({ kind: 'terminal', container: 'ops', truncated: false })
    const answer = await download(recording?.recording_id as string)
    expect(answer.headers.get('content-type')).toBe('application/x-asciicast')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.cast"$/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(Buffer.byteLength(answer.body)).toBe(recording?.bytes)
    const cast = parseCast(answer.body)
    expect(cast.header).toMatchObject({ width: 90, height: 30 })
    expect(cast.events).toContainEqual([expect.any(Number), 'r', '111x33'])
    expect(cast.events.at(-1)?.[0]).toBe(recording?.duration_seconds)
    expect(cast.output()).toMatch(/Fähre 42\r\n[\s\S]*\ufffd\ufffd\|ok\|/)
    expect(cast.output()).toBe(terminal.text())
    expect(answer.body).not.toContain('hunter2')
  })

  it('can be an item of a batch, whose other items run once however often it is sent', async () => {
    const [recording] = await list()
    const path = `/sandbox/${session.id}/recordings/${recording?.recording_id}`
    const extend = { method: 'POST', path: '/sandbox/extend', body: { session_id: session.session_id } }
    const send = (key: string) => lab.call('POST', '/batch', { requests: [extend, { method: 'GET', path }] }, { 'idempotency-key': key })
    const key = randomUUID()
    const [first, again] = [await send(key), await send(key)]
    expect(first.body.responses).toMatchObject([
      { status: 200 },
      { status: 200, body: (await download(recording?.recording_id as string)).body },
    ])
    expect([again.status, withoutTickets(again.body)]).toEqual([200, withoutTickets(first.body)])
    expect((await lab.call('GET', `/sandbox/${session.id}`)).body.expires_at).toBe(first.body.responses[0].body.expires_at)
  })

  it('hold all commands in one, each with its container and its exit code', async () => {
    await exec('printf "one\\ntwo"')
    await exec('echo on stderr >&2; exit 7', 'web')
    const all = (await list()).filter(({ kind }) => kind === 'exec')
    expect(all).toHaveLength(1)
    expect(all[0]?.container).toBeNull()
    expect((await castOf(all[0]?.recording_id as string)).output()).toBe(
      'root@ops# printf "one\\ntwo"\r\none\r\ntwo\r\nroot@web# echo on stderr >&2; exit 7\r\non stderr\r\n[exit code 7]\r\n',
    )
  })

  it('have only complete lines after the server was killed, and are continued', async () => {
    const terminal = await openTerminal('web')
    terminal.type('for i in $(seq 2000); do echo "line $i"; sleep 0.005; done\r')
    await terminal.sees(/line 300\r/)
    await lab.rebirth()
    const [web] = (await list()).filter(({ container }) => container === 'web')
    expect((await castOf(web?.recording_id as string)).output()).toMatch(/line 1\r\nline 2\r\n/)
    await exec('echo after the crash')
    const commands = (await list()).filter(({ kind }) => kind === 'exec')
    expect(commands).toHaveLength(1)
    expect((await castOf(commands[0]?.recording_id as string)).output()).toMatch(/^root@ops# printf [\s\S]*after the crash\r\n$/)
  })

  it('end at the cap, visibly, and the terminal does not', async () => {
    expect((await lab.call('GET', '/settings/public')).body.limits.recording_bytes).toBe(cap)
    const terminal = await openTerminal('web')
    terminal.type('seq 200000; echo DO""NE\r')
    await terminal.sees(/200000\r\n[\s\S]*DONE/)
    const all = await list()
    const [full] = all.filter(({ container, truncated }) => container === 'web' && truncated)
    expect(full).toBeDefined()
    expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(cap)
    const cast = await castOf(full?.recording_id as string)
    expect(cast.events.at(-1)?.[1]).toBe('m')
    expect(cast.output()).toMatch(/1\r\n2\r\n3\r\n[\s\S]*\[the recording ends here: /)
    expect((await exec('echo unhurt')).body.stdout).toBe('unhurt\n')
    terminal.socket.close(1000)
  })
})

describe('who and what is refused', () => {
  it('others, and what does not exist', async () => {
    const { token } = await createMember(lab.inside)
    const [own] = await list()
    expect((await download(own?.recording_id as string, token)).status).toBe(404)
    expect((await lab.call('GET', `/sandbox/${session.id}/recordings`, undefined, {}, token)).status).toBe(404)
    expect((await lab.call('GET', '/sandbox/0000000000000000/recordings')).status).toBe(404)
    expect((await lab.call('GET', `/sandbox/0000000000000000/recordings/${own?.recording_id}`)).status).toBe(404)
    expect((await download('0000000000000000')).status).toBe(404)
    expect((await download(own?.recording_id as string, 'ilab_pat_nonsense')).status).toBe(401)
  })

  it('whatever leads out of the folder', async () => {
    const [file] = await readdir(join(lab.dataDir, 'recordings', session.id))
    const tricks = [
      ...[file as string, `${session.id}.cast`, 'A'.repeat(16), '0'.repeat(17), '0'.repeat(15), '*'.repeat(16), ' '.repeat(16)],
      ...['../lab.sqlite', '../../lab.sqlite', '../../secret', '/etc/passwd', '....//....//secret', '..\\..\\secret'],
      ...['..', '.', '\0', `${'0'.repeat(15)}\n`, `${'0'.repeat(16)}\0`, '%2e%2e%2fsecret', '０'.repeat(16)],
    ]
    const { send, close } = createSender(lab.url(), 1)
    const get = (path: string) =>
      send({ method: 'GET', path: `/api/v1/sandbox/${path}`, headers: { authorization: `Bearer ${lab.token}` } })
    const [own] = await list()
    expect((await get(`${session.id}/recordings/${own?.recording_id}`)).status).toBe(200)
    for (const trick of tricks) {
      for (const written of [encodeURIComponent(trick), encodeURIComponent(trick).replaceAll('.', '%2e')]) {
        expect([400, 404], written).toContain((await get(`${session.id}/recordings/${written}`)).status)
      }
    }
    for (const id of ['..', '../recordings', `../recordings/${session.id}`, '.', '*', `${session.id}/..`, `${session.id}\0`]) {
      expect([400, 404], id).toContain((await get(`${encodeURIComponent(id)}/recordings`)).status)
      expect([400, 404], id).toContain((await get(`${encodeURIComponent(id)}/recordings/${own?.recording_id}`)).status)
    }
    close()
  })
})

it('recordings outlive their sandbox', async () => {
  await lab.call('POST', '/sandbox/stop', { session_id: session.session_id })
  const all = await list()
  expect(all.length).toBeGreaterThanOrEqual(4)
  for (const { recording_id } of all) expect((await castOf(recording_id)).header.width).toBeGreaterThan(0)
})
