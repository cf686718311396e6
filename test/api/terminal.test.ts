// Shells over the WebSocket, on a real server and real containers, with the client that browsers have.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { TerminalEvent, terminalLimits, terminalPath } from '../../src/contract/terminal.ts'
import { openInstallation } from '../../src/main.ts'
import { type Lab, startLab } from '../support/server.ts'

let lab: Lab
let session: { session_id: string; id: string }

beforeAll(async () => {
  lab = await startLab({ LAB_ACCOUNT_SANDBOXES: '2' })
  const started = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
  expect(started.status).toBe(200)
  session = started.body
})
afterAll(() => lab?.close())

const until = async (holds: () => boolean | Promise<boolean>, what: () => string, patienceMs = 60_000) => {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what()}`)
    await systemClock.sleep(50)
  }
}

/** A raw connection, and all that came over it. */
const connect = async () => {
  const socket = new WebSocket(`${lab.url.replace(/^http/, 'ws')}/api/v1${terminalPath}`)
  socket.binaryType = 'arraybuffer'
  const chunks: Buffer[] = []
  const events: TerminalEvent[] = []
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code)
  })
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') events.push(TerminalEvent.parse(JSON.parse(data)))
    else chunks.push(Buffer.from(data as ArrayBuffer))
  }
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const bytes = () => Buffer.concat(chunks)
  const text = () => bytes().toString()
  return {
    socket,
    events,
    closed,
    bytes,
    text,
    type: (keys: string) => socket.send(Buffer.from(keys)),
    control: (message: unknown) => socket.send(JSON.stringify(message)),
    sees: (pattern: RegExp) =>
      until(
        () => pattern.test(text()),
        () => `${pattern} in ${JSON.stringify(text().slice(-2000))}, ${JSON.stringify(events)}`,
      ),
    hears: (key: string) =>
      until(
        () => events.some((event) => key in event),
        () => `${key} in ${JSON.stringify(events)}`,
      ),
    errorCode: () => events.flatMap((event) => ('error' in event ? [event.error.code] : []))[0],
  }
}

const hello = (extra: Record<string, unknown> = {}) => ({
  session_id: session.session_id,
  token: lab.token,
  columns: 80,
  rows: 24,
  ...extra,
})

const openTerminal = async (extra: Record<string, unknown> = {}) => {
  const terminal = await connect()
  terminal.control(hello(extra))
  await terminal.hears('ready')
  await terminal.sees(/[#$] /)
  return terminal
}

const exec = async (command: string, container = 'ops'): Promise<string> => {
  const run = await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, command, container })
  expect(run.status).toBe(200)
  return run.body.stdout
}

const count = async (names: string, container: string): Promise<number> => Number(await exec(`pgrep -xc '${names}' || true`, container))

describe('a shell', () => {
  it('is a login bash on the workstation that echoes, answers and says when it ends', async () => {
    const terminal = await openTerminal()
    expect(terminal.events[0]).toMatchObject({ ready: true, container: 'ops', expires_at: expect.stringMatching(/Z$/) })
    terminal.type('echo "$((6 * 7)) $(hostname) $0"\r')
    await terminal.sees(/42 ops -?bash/)
    terminal.type('exit\r')
    await terminal.hears('exit')
    expect(await terminal.closed).toBe(1000)
  })

  it('has the size that the client says, also later', async () => {
    const terminal = await openTerminal({ columns: 91, rows: 31 })
    terminal.type('stty size\r')
    await terminal.sees(/31 91/)
    terminal.control({ resize: { columns: 133, rows: 43 } })
    terminal.type('stty size\r')
    await terminal.sees(/43 133/)
    terminal.socket.close()
  })

  it('stands beside others, in other services', async () => {
    const [one, two] = await Promise.all([openTerminal(), openTerminal({ container: 'web' })])
    one.type('me=first; echo "$me-$(hostname)"\r')
    two.type('me=second; echo "$me-$(hostname)"\r')
    await Promise.all([one.sees(/first-ops/), two.sees(/second-web/)])
    expect(one.text()).not.toContain('second')
    one.socket.close()
    two.socket.close()
  })

  it('carries every byte unchanged, both ways', async () => {
    const terminal = await openTerminal()
    // Ctrl-P Ctrl-Q among them, which the engine's client protocol would take for itself.
    const every = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
    terminal.type('stty raw -echo; echo STA""RT; head -c 256; stty sane; echo E""ND\r')
    await terminal.sees(/START\r?\n/)
    terminal.socket.send(every)
    await terminal.sees(/END\r?\n/)
    expect(terminal.bytes().indexOf(every)).toBeGreaterThan(terminal.bytes().indexOf('START'))
    terminal.socket.close()
  })

  it('delivers megabytes of output to a client that falls behind', async () => {
    const terminal = await openTerminal()
    terminal.type("yes 0123456789abcdef | head -n 500000; echo DO''NE\r")
    await terminal.sees(/DONE/)
    expect(terminal.text().match(/^0123456789abcdef\r$/gm)).toHaveLength(500_000)
    terminal.socket.close()
  })

  it('ends with its connection: nothing of it is left in the container', async () => {
    const terminal = await openTerminal({ container: 'web' })
    terminal.type('sleep 98765\r')
    await until(
      async () => (await count('sleep', 'web')) === 1,
      () => 'sleep runs',
    )
    const other = await openTerminal({ container: 'web' })
    other.socket.close()
    terminal.socket.close()
    await until(
      async () => (await count('bash|sleep', 'web')) === 0,
      () => 'the shells are gone',
    )
  })

  it('waits while the sandbox is being graded', async () => {
    const repair = `sed -i 's/^bind = .*/bind = "0.0.0.0:8000"/' /etc/harbourline/gunicorn.conf.py && kill -HUP $(pgrep -o -f 'gunicorn --config')`
    await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, container: 'app', command: repair })
    const wait = 'for i in $(seq 50); do curl -fs http://web/health && exit 0; sleep 0.2; done'
    await lab.call('POST', '/api/v1/sandbox/exec', { session_id: session.session_id, command: wait })
    const terminal = await openTerminal()
    const grading = lab.call('POST', '/api/v1/sandbox/eval', { session_id: session.session_id })
    await systemClock.sleep(500)
    terminal.type('date +typed-%s%3N\r')
    expect((await grading).body.checkpoints).toHaveLength(7)
    await terminal.sees(/typed-\d+/)
    expect(terminal.events).toContainEqual({ warning: expect.stringContaining('being graded') })
    const [evaluation] = (await lab.call('GET', '/api/v1/evaluations')).body.items
    const verdictAt = Date.parse(evaluation.started_at) + evaluation.duration_ms
    expect(Number(/typed-(\d+)/.exec(terminal.text())?.[1])).toBeGreaterThanOrEqual(verdictAt)
    terminal.socket.close()
  })
})

describe('who and what is refused', () => {
  const refusal = async (first: unknown): Promise<string | undefined> => {
    const terminal = await connect()
    if (typeof first === 'string' || Buffer.isBuffer(first)) terminal.socket.send(first)
    else terminal.control(first)
    expect(await terminal.closed).toBe(1008)
    return terminal.errorCode()
  }

  it('a session that is not the caller’s, does not exist, or is over', async () => {
    const forged = `${session.id}.${'0'.repeat(32)}`
    expect(await refusal(hello({ session_id: forged }))).toBe('not_found')
    const stranger = await foreignToken()
    expect(await refusal(hello({ token: stranger }))).toBe('not_found')
  })

  it('a wrong token, and a service that is not there or not for users', async () => {
    expect(await refusal(hello({ token: 'ilab_pat_nonsense' }))).toBe('unauthorized')
    expect(await refusal(hello({ container: 'nowhere' }))).toBe('invalid_request')
    expect(await refusal(hello({ container: 'clients' }))).toBe('invalid_request')
  })

  it('a first message that is not what it should be', async () => {
    for (const first of ['', '{', 'null', '[]', '"x"', {}, hello({ columns: 0 }), hello({ rows: 1e9 }), hello({ extra: 1 })]) {
      expect(await refusal(first), JSON.stringify(first)).toBe('invalid_request')
    }
    expect(await refusal(Buffer.from(JSON.stringify(hello())))).toBe('invalid_request')
  })

  it('silence', async () => {
    const terminal = await connect()
    expect(await terminal.closed).toBe(1008)
    expect(terminal.errorCode()).toBe('request_timeout')
  })

  it('garbage later on, without harm to anybody else', async () => {
    const bystander = await openTerminal()
    for (const frame of ['{', '{"resize":{}}', '{"resize":{"columns":1.5,"rows":2}}', '{"other":1}', '\u0000']) {
      const terminal = await openTerminal()
      terminal.socket.send(frame)
      expect(await terminal.closed, frame).toBe(1008)
      expect(terminal.errorCode(), frame).toBe('invalid_request')
    }
    const large = await openTerminal()
    large.socket.send(Buffer.alloc(terminalLimits.frameBytes + 1))
    expect(await large.closed).toBe(1009)
    expect(large.errorCode()).toBe('payload_too_large')
    const huge = await connect()
    huge.socket.send(Buffer.alloc(8 * 1024 * 1024))
    expect([1006, 1009]).toContain(await huge.closed)
    bystander.type('echo still-$((40 + 2))\r')
    await bystander.sees(/still-42/)
    bystander.socket.close()
    expect((await lab.call('GET', '/api/v1/health')).body.status).toBe('ok')
  })

  it('more terminals than a sandbox has room for', async () => {
    const { body: fresh } = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    const { session_id } = fresh
    await Promise.all(Array.from({ length: terminalLimits.perSandbox }, () => openTerminal({ session_id })))
    expect(await refusal(hello({ session_id }))).toBe('capacity_exhausted')
    expect((await lab.call('POST', '/api/v1/sandbox/stop', { session_id })).status).toBe(200)
  })

  it('plain HTTP; and an upgrade elsewhere is left aside', async () => {
    const plain = await lab.call('GET', `/api/v1${terminalPath}`)
    expect(plain.status).toBe(400)
    expect(plain.body.error.code).toBe('invalid_request')
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      request(`${lab.url}/api/v1/health`, { headers: { connection: 'Upgrade', upgrade: 'h2c' } }, (answer) => resolve(answer.statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
  })
})

describe('the end of a sandbox', () => {
  it('is announced when it is near, and ends its shells', async () => {
    const started = await lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })
    const { store } = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
    try {
      await store.sandboxes.markCompleted(started.body.id, new Date(Date.now() + 4 * 60_000).toISOString())
    } finally {
      await store.close()
    }
    const terminal = await openTerminal({ session_id: started.body.session_id })
    await terminal.hears('warning')
    expect(terminal.events).toContainEqual({ warning: 'less than 5 minutes left' })
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: started.body.session_id })
    await terminal.hears('exit')
    expect(await terminal.closed).toBe(1000)
    const again = await connect()
    again.control(hello({ session_id: started.body.session_id }))
    await again.closed
    expect(again.errorCode()).toBe('sandbox_not_running')
  })
})

/** A token of another account of the same installation. */
const foreignToken = async (): Promise<string> => {
  const { store, accounts, clock } = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  try {
    const row = { id: 'stranger', login: 'stranger', name: 'Stranger', role: 'member' as const, created_at: clock.now().toISOString() }
    const account = await store.accounts.findOrCreate(row)
    return (await accounts.issueToken({ kind: 'account', accountId: account.id, login: 'stranger', role: 'member' }, 'test', 1)).token
  } finally {
    await store.close()
  }
}
