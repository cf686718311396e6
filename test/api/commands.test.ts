// Background commands over REST, on one real sandbox whose server is killed in between.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLimits, SandboxCommand, type SandboxCommandOutput } from '../../src/contract/command.ts'
import { createId } from '../../src/ids.ts'
import { createMember } from '../support/accounts.ts'
import { type Answer, type MortalLab, smallCatalog, startMortalLab } from '../support/server.ts'

let lab: MortalLab
let session: { session_id: string; id: string }
let stranger: string

const post = (body: object, as?: string) => lab.call('POST', '/sandbox/commands', { session_id: session.session_id, ...body }, {}, as)
const start = async (command: string, extra: object = {}): Promise<SandboxCommand> => {
  const { status, body } = await post({ command, ...extra })
  expect([status, body]).toEqual([201, SandboxCommand.strict().parse(body)])
  return body
}
const path = (id: string, query = '') => `/sandbox/${session.id}/commands/${id}${query}`
const read = async (id: string, query = ''): Promise<SandboxCommandOutput> => (await lab.call('GET', path(id, query))).body
const kill = async (id: string): Promise<SandboxCommand> => (await lab.call('DELETE', path(id))).body
const list = async (): Promise<SandboxCommand[]> => (await lab.call('GET', `/sandbox/${session.id}/commands`)).body.items
const ended = async (id: string) => {
  await expect.poll(async () => (await read(id)).status).not.toBe('running')
  return read(id)
}
const exec = async (command: string, container = 'ops'): Promise<string> =>
  (await lab.call('POST', '/sandbox/exec', { session_id: session.session_id, command, container })).body.stdout
const refused = ({ status, body }: Answer, expected: number, code: string) => expect([status, body.error?.code]).toEqual([expected, code])

beforeAll(async () => {
  lab = await startMortalLab(smallCatalog)
  stranger = (await createMember(lab.inside)).token
  session = (await lab.call('POST', '/sandbox/start', { course_id: 'scenario-01' })).body
})
afterAll(() => lab?.close())

describe('a background command', () => {
  it('runs on, can be read while it runs, and keeps its exit code', async () => {
    const { command_id, ...begun } = await start('echo one; until [ -e /tmp/go ]; do sleep 0.05; done; echo two >&2; exit 5')
    expect(begun).toMatchObject({ container: 'ops', status: 'running', exit_code: null })
    await expect.poll(() => read(command_id)).toMatchObject({ output: 'one\n', status: 'running', next_offset: 4 })
    expect(await read(command_id, '?offset=4')).toMatchObject({ output: '', offset: 4, next_offset: 4 })
    await exec('touch /tmp/go')
    await ended(command_id)
    expect(await read(command_id, '?offset=4')).toMatchObject({ status: 'exited', exit_code: 5, output: 'two\n', output_bytes: 8 })
    expect(await kill(command_id)).toMatchObject({ status: 'exited', exit_code: 5 })
    expect(await list()).toMatchObject([{ command_id, status: 'exited', exit_code: 5 }])
  })

  it('that is read from beyond its end leads back to its end', async () => {
    const { command_id } = await start('printf abc; until [ -e /tmp/more ]; do sleep 0.05; done; printf def')
    await expect.poll(async () => (await read(command_id)).output).toBe('abc')
    const beyond = await read(command_id, '?offset=99999999')
    expect(beyond).toMatchObject({ output: '', output_bytes: 3, offset: 3, next_offset: 3 })
    await exec('touch /tmp/more')
    await ended(command_id)
    expect((await read(command_id, `?offset=${beyond.next_offset}`)).output).toBe('def')
  })

  it('has its input, its folder and its container', async () => {
    const { command_id, container } = await start('pwd; hostname; cat', {
      container: 'web',
      stdin: 'späť\n',
      working_directory: '/var/log',
    })
    expect([container, (await ended(command_id)).output]).toEqual(['web', '/var/log\nweb\nspäť\n'])
  })

  it('is read in pieces that break no character', async () => {
    const text = 'Fähre ⛴ 渡し船 ok'.repeat(3)
    const { command_id } = await start(`printf %s '${text}'; printf '\\377'`)
    await ended(command_id)
    let [output, offset] = ['', 0]
    for (;;) {
      const piece = await read(command_id, `?offset=${offset}&limit=7`)
      if (piece.next_offset === offset) break
      output += piece.output
      offset = piece.next_offset
    }
    expect(output).toBe(`${text}\ufffd`)
  })

  it('is killed with its whole process group; killing is idempotent', async () => {
    const { command_id } = await start('echo begun; sleep 4711 & sleep 4711; echo over')
    await expect.poll(() => exec('pgrep -fc "^sleep 4711"')).toBe('2\n')
    expect(await kill(command_id)).toMatchObject({ status: 'killed', exit_code: null })
    await expect.poll(() => exec('pgrep -fc "^sleep 4711"')).toBe('0\n')
    expect(await kill(command_id)).toMatchObject({ status: 'killed', exit_code: null })
    expect(await read(command_id)).toMatchObject({ status: 'killed', output: 'begun\n' })
  })

  it('waits while the sandbox is being graded', async () => {
    let graded = false
    const grading = lab.call('POST', '/sandbox/eval', { session_id: session.session_id }).then(() => {
      graded = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await start('true')
    expect(graded).toBe(true)
    await grading
  })

  it('that cannot be started says so', async () => {
    refused(await post({ command: 'true', working_directory: '/no/such/folder' }), 409, 'command_not_started')
    refused(await post({ command: 'true', container: 'nobody' }), 400, 'invalid_request')
  })

  it('cannot be used by another account', async () => {
    const { command_id } = await start('sleep 4712')
    refused(await post({ command: 'true' }, stranger), 404, 'not_found')
    for (const [method, where] of [
      ['GET', `/sandbox/${session.id}/commands`],
      ['GET', path(command_id)],
      ['DELETE', path(command_id)],
    ] as const) {
      refused(await lab.call(method, where, undefined, {}, stranger), 404, 'not_found')
    }
    for (const id of [`ops.${createId()}`, `web.${command_id.split('.')[1]}`, `clients.${createId()}`, 'x', `ops.${'../'.repeat(5)}`]) {
      refused(await lab.call('GET', path(encodeURIComponent(id))), 404, 'not_found')
      refused(await lab.call('DELETE', path(encodeURIComponent(id))), 404, 'not_found')
    }
    expect(await kill(command_id)).toMatchObject({ status: 'killed' })
  })
})

describe('files that a user tampered with', () => {
  it('fool only him: every answer keeps its shape and its size', async () => {
    const { command_id } = await start('sleep 4713', { container: 'web' })
    const folder = `/run/commands/${command_id.split('.')[1]}`
    await exec(`echo 300 > ${folder}/exit_code; ln -sf /dev/zero ${folder}/output`, 'web')
    const seen = await read(command_id, '?limit=1000')
    expect([seen.exit_code, seen.output]).toEqual([300, '\0'.repeat(1000)])
    await exec(`rm ${folder}/*; echo 1 1 > ${folder}/process; yes > ${folder}/started_at & sleep 0.1; kill $!`, 'web')
    refused(await lab.call('GET', path(command_id)), 404, 'not_found')
    refused(await lab.call('DELETE', path(command_id)), 404, 'not_found')
    await exec('mkdir /run/commands/x "/run/commands/a b"; rm -rf /run/commands/*; ln -s / /run/commands/loop', 'web')
    expect((await list()).filter(({ container }) => container === 'web')).toEqual([])
    await exec('rm /run/commands/loop; pkill -f "^sleep 4713"', 'web')
  })
})

describe('more than a container keeps', () => {
  it('are refused while all run; what has ended makes room', async () => {
    const all: SandboxCommand[] = []
    for (let n = 0; n < commandLimits.keptPerContainer; n += 1) all.push(await start('sleep 4714', { container: 'web' }))
    refused(await post({ command: 'true', container: 'web' }), 409, 'command_limit_reached')
    const [first, second] = all as [SandboxCommand, SandboxCommand]
    await kill(second.command_id)
    const { command_id } = await start('echo in', { container: 'web' })
    const names = (await list()).filter(({ container }) => container === 'web').map((each) => each.command_id)
    expect([names.length, names.includes(first.command_id), names.includes(second.command_id)]).toEqual([20, true, false])
    expect((await ended(command_id)).output).toBe('in\n')
    await exec('pkill -f "^sleep 4714"', 'web')
  })
})

describe('what runs outlives', () => {
  it('the server, but not its container', async () => {
    const { command_id } = await start('echo begun; sleep 4715')
    await lab.rebirth()
    expect(await read(command_id)).toMatchObject({ status: 'running', output: 'begun\n' })
    await lab.inside.engine.restart({ sandbox: session.id, service: 'ops' })
    expect(await read(command_id)).toMatchObject({ status: 'lost', exit_code: null, output: 'begun\n' })
    expect(await kill(command_id)).toMatchObject({ status: 'lost' })
  })
})
