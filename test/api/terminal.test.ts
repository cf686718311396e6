// Terminals over WebSocket, on a real server and real containers, with the standard WebSocket client.

import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { terminalCloseCodes, terminalLimits, terminalPath } from '../../src/contract/terminal.ts'
import { openInstallation } from '../../src/installation.ts'
import { createMember } from '../support/accounts.ts'
import { type Lab, startLab } from '../support/server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { connectTerminal, until } from '../support/terminal.ts'

let lab: Lab
let proxy: TcpProxy
let session: { session_id: string; id: string }
/** A sandbox whose repair passes, so that it expires soon; and a terminal in it that stays open. */
let graded: { session_id: string; id: string }
let reminded: Terminal

const start = () => lab.call('POST', '/api/v1/sandbox/start', { course_id: 'scenario-01' })

beforeAll(async () => {
  lab = await startLab({
    LAB_ACCOUNT_SANDBOXES: '4',
    LAB_TERMINAL_LINGER_SECONDS: '10',
    LAB_GRACE_MINUTES: '1',
    LAB_EXTEND_MINUTES: '1',
    LAB_EVALUATION_SPACING_SECONDS: '0',
  })
  proxy = await openTcpProxy(lab.url)
  const started = await Promise.all([start(), start()])
  expect(started.map(({ status }) => status)).toEqual([200, 200])
  ;[session, graded] = started.map(({ body }) => body) as [typeof session, typeof graded]
})
afterAll(async () => {
  proxy?.close()
  await lab?.close()
})

type Terminal = Awaited<ReturnType<typeof connectTerminal>>

const connect = (url = lab.url) => connectTerminal(url)

const hello = (extra: Record<string, unknown> = {}) => ({
  session_id: session.session_id,
  token: lab.token,
  columns: 80,
  rows: 24,
  ...extra,
})

const openTerminal = async (extra: Record<string, unknown> = {}, url = lab.url) => {
  const terminal = await connect(url)
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

/** First, because a minute of its own passes while the others run. */
describe('a shell in a sandbox that is graded', () => {
  it('waits while the sandbox is being graded', async () => {
    const { session_id } = graded
    const typing = await openTerminal({ session_id })
    const grading = lab.call('POST', '/api/v1/sandbox/eval', { session_id })
    await systemClock.sleep(200)
    typing.type('date +typed-%s%3N\r')
    expect((await grading).body).toMatchObject({ passed: false })
    await typing.sees(/typed-\d+/)
    expect(typing.warnings()).toContainEqual(expect.stringContaining('being graded'))
    const [evaluation] = (await lab.call('GET', '/api/v1/evaluations')).body.items
    const verdictAt = Date.parse(evaluation.started_at) + evaluation.duration_ms
    expect(Number(/typed-(\d+)/.exec(typing.text())?.[1])).toBeGreaterThanOrEqual(verdictAt)
    typing.socket.close(1000)
  })

  it('ends with its machine when grading restarts them all, and another one opens', async () => {
    const { session_id } = graded
    const repair = `sed -i 's/^bind = .*/bind = "0.0.0.0:8000"/' /etc/harbourline/gunicorn.conf.py && kill -HUP $(pgrep -o -f 'gunicorn --config')`
    await lab.call('POST', '/api/v1/sandbox/exec', { session_id, container: 'app', command: repair })
    const wait = 'for i in $(seq 50); do curl -fs http://web/health && exit 0; sleep 0.2; done'
    await lab.call('POST', '/api/v1/sandbox/exec', { session_id, command: wait })
    const before = await openTerminal({ session_id })
    expect((await lab.call('POST', '/api/v1/sandbox/eval', { session_id })).body).toMatchObject({ passed: true })
    await before.hears('exit')
    reminded = await openTerminal({ session_id })
  })

  it('and its viewer are warned before the sandbox expires; only an extension moves the expiry', async () => {
    const read = async () => (await lab.call('GET', `/api/v1/sandbox/${graded.id}`)).body
    const passed = await read()
    expect(passed.warnings).toEqual(['it ends within 1 minute'])
    const visitor = await openTerminal({ session_id: graded.session_id })
    await until(
      () => visitor.warnings().includes('less than a minute left') && reminded.warnings().includes('less than a minute left'),
      () => JSON.stringify([visitor.events, reminded.events]),
    )
    visitor.socket.close(1000)
    expect((await read()).expires_at).toBe(passed.expires_at)
    const { body: extended } = await lab.call('POST', '/api/v1/sandbox/extend', { session_id: graded.session_id })
    expect(Date.parse(extended.expires_at)).toBe(Date.parse(passed.expires_at) + 60_000)
    expect(extended.warnings).toEqual(['it ends within 2 minutes'])
    const ready = (await openTerminal({ session_id: graded.session_id })).ready()
    expect(ready.expires_at).toBe(extended.expires_at)
    expect((await read()).expires_at).toBe(extended.expires_at)
  })
})

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

  it('carries every byte unchanged, both ways, however they are cut', async () => {
    const terminal = await openTerminal()
    // Including Ctrl-P Ctrl-Q, the detach sequence of Docker.
    const every = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
    const words = Buffer.from('Fähre 渡船 🛳️ паром ')
    terminal.type('stty raw -echo; echo STA""RT; cat\r')
    await terminal.sees(/START\r?\n/)
    const start = terminal.bytes().indexOf('START\n') + 'START\n'.length
    const sent = Buffer.concat([every, words, words, every])
    terminal.socket.send(every)
    terminal.socket.send(words)
    for (const byte of words) terminal.socket.send(Buffer.from([byte]))
    terminal.socket.send(every)
    await until(
      () => terminal.bytes().length >= start + sent.length,
      () => `${terminal.bytes().length - start} of ${sent.length} bytes came back`,
    )
    expect(terminal.bytes().subarray(start).toString('hex')).toBe(sent.toString('hex'))
    terminal.socket.close()
  })

  it('takes a storm of sizes: the last one holds, and no key is lost in it', async () => {
    const terminal = await openTerminal()
    terminal.type('echo be"fo"re\r')
    for (let width = 1; width <= 600; width += 1) {
      terminal.control({ resize: { columns: width, rows: 30 } })
      if (width % 100 === 0) terminal.type('#')
    }
    terminal.control({ resize: { columns: 177, rows: 44 } })
    terminal.type('\rstty size; echo af"te"r\r')
    await terminal.sees(/44 177[\s\S]*after/)
    expect(terminal.text()).toMatch(/before[\s\S]*#[\s\S]*after/)
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
})

describe('coming back', () => {
  const comeBack = async (terminal: Terminal, extra: Record<string, unknown> = {}) => {
    const next = await connect()
    next.control(hello({ terminal_id: terminal.ready().terminal_id, ...extra }))
    await next.hears('ready')
    return next
  }

  it('finds the shell as it was, and its output without gap or repetition', async () => {
    const first = await openTerminal({}, proxy.url)
    first.type('me=still-here; for i in $(seq 300); do echo "<$i>"; sleep 0.01; done; echo DO""NE\r')
    await first.sees(/<20>/)
    proxy.cutAll()
    expect(await first.closed).toBe(1006)
    const seen = first.bytes().length
    await systemClock.sleep(500)
    const second = await comeBack(first, { offset: seen })
    expect(second.ready()).toMatchObject({ terminal_id: first.ready().terminal_id, container: 'ops', offset: seen })
    await second.sees(/DONE/)
    second.type('echo $me\r')
    await second.sees(/still-here\r/)
    const all = first.text() + second.text()
    expect([...all.matchAll(/<(\d+)>\r/g)].map((match) => Number(match[1]))).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))

    // Without an offset, the whole scrollback is sent; and the earlier connection is replaced.
    const third = await comeBack(first)
    await second.hears('replaced')
    expect(await second.closed).toBe(terminalCloseCodes.replaced)
    expect(third.ready().offset).toBe(0)
    await third.sees(/still-here\r/)
    expect(third.text()).toBe(all)
    third.type('exit\r')
    await third.hears('exit')
    expect(await third.closed).toBe(terminalCloseCodes.ended)
  })

  it('is refused to others, to what has ended, and beyond what was printed', async () => {
    const terminal = await openTerminal()
    const terminal_id = terminal.ready().terminal_id
    const refusal = async (extra: Record<string, unknown>) => {
      const other = await connect()
      other.control(hello(extra))
      await other.closed
      return other.errorCode()
    }
    expect(await refusal({ terminal_id, token: await foreignToken() })).toBe('not_found')
    expect(await refusal({ terminal_id, session_id: graded.session_id })).toBe('not_found')
    expect(await refusal({ terminal_id, container: 'web' })).toBe('not_found')
    expect(await refusal({ terminal_id: 'nonsense' })).toBe('not_found')
    expect(await refusal({ terminal_id, offset: 1e9 })).toBe('invalid_request')
    expect(await refusal({ terminal_id, offset: -1 })).toBe('invalid_request')
    terminal.type('echo un"dis"turbed\r')
    await terminal.sees(/undisturbed/)
    terminal.socket.close(1000)
    await until(
      async () => (await refusal({ terminal_id })) === 'not_found',
      () => 'the shell is gone',
    )
  })

  it('is possible for a while: work goes on meanwhile, the last output is kept, and then the shell ends', async () => {
    const [busy, idle] = await Promise.all([openTerminal({}, proxy.url), openTerminal({ container: 'web' }, proxy.url)])
    idle.type('sleep 98766\r')
    busy.type('stty -echo; echo go; seq 200000; sleep 1; touch /tmp/finished\r')
    await busy.sees(/go\r/)
    proxy.cutAll()
    await Promise.all([busy.closed, idle.closed])
    const seen = busy.bytes().length
    expect(await count('sleep', 'web')).toBe(1)
    expect(await exec('for i in $(seq 80); do test -e /tmp/finished && echo finished && break; sleep 0.1; done')).toBe('finished\n')
    const back = await comeBack(busy, { offset: seen })
    await back.sees(/\r\n200000\r\n/)
    expect(back.ready().offset).toBeGreaterThan(seen)
    const numbers = [...back.text().matchAll(/\n(\d+)(?=\r)/g)].map((match) => Number(match[1]))
    const [first = 0] = numbers
    expect(numbers).toEqual(Array.from({ length: 200_001 - first }, (_, index) => first + index))
    back.socket.close(1000)
    await until(
      async () => (await count('bash|sleep', 'web')) === 0,
      () => 'the shell that nobody came back to is gone',
    )
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

  it('questions whose answers are not read', async () => {
    const { hostname, port } = new URL(lab.url)
    const socket = dial(Number(port), hostname)
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => undefined)
    const key = Buffer.alloc(16).toString('base64')
    const headers = `Host: ${hostname}\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n`
    socket.write(`GET /api/v1${terminalPath} HTTP/1.1\r\n${headers}\r\n`)
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 101 /)
    socket.pause()
    const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])
    const pings = Buffer.concat(Array.from({ length: 1000 }, () => ping))
    const ask = async () => {
      while (!socket.destroyed) if (!socket.write(pings)) await Promise.race([once(socket, 'drain').catch(() => undefined), ended])
    }
    await ask()
    expect(socket.bytesWritten).toBeLessThan(64 * 1024 ** 2) // what the kernel keeps for both sides, and little more
    expect((await lab.call('GET', '/api/v1/health')).status).toBe(200)
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
    const { session_id } = (await start()).body
    const [lost] = await Promise.all(
      Array.from({ length: terminalLimits.perSandbox }, (_, index) => openTerminal({ session_id }, index === 0 ? proxy.url : lab.url)),
    )
    expect(await refusal(hello({ session_id }))).toBe('capacity_exhausted')
    // A shell without a viewer is closed to make room.
    proxy.cutAll()
    await lost?.closed
    await openTerminal({ session_id })
    expect(await refusal(hello({ session_id, terminal_id: lost?.ready().terminal_id }))).toBe('not_found')
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
    const started = await start()
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

describe('the end that has moved', () => {
  it('is announced again', async () => {
    const due = ['less than a minute left', 'less than 5 minutes left', 'less than a minute left']
    const heard = () => reminded.warnings().filter((warning) => warning.startsWith('less than'))
    await until(
      () => heard().length >= due.length,
      () => JSON.stringify(reminded.events),
      90_000,
    )
    expect(heard()).toEqual(due)
  })
})

/** A token of another account of the same installation. */
const foreignToken = async (): Promise<string> => {
  const inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  try {
    return (await createMember(inside)).token
  } finally {
    await inside.store.close()
  }
}
