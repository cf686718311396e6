// Resource abuse by a hostile user does not affect the service, the host or other sandboxes. Every test also verifies that the attack
// really happened, because a limit that was not reached proves nothing.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { Evaluation } from '../src/contract/evaluation.ts'
import type { SandboxExecResponse, SandboxSession } from '../src/contract/sandbox.ts'
import { labelFilter, labelKeys } from '../src/engine/docker/labels.ts'
import type { DiskMeter } from '../src/engine/engine.ts'
import { type Installation, openInstallation } from '../src/installation.ts'
import { type Lab, startLab } from './support/server.ts'
import { repair, startSandbox } from './support/solve.ts'
import { deep } from './support/test-mode.ts'

const diskBytes = 256 * 1024 ** 2
const floodSeconds = deep ? 60 : 5

let lab: Lab
let isOpen = false
let inside: Installation
let meter: DiskMeter
const sessions = {} as Record<'filler' | 'forker' | 'eater' | 'neighbour', SandboxSession>

const start = () => startSandbox(lab)

beforeAll(async () => {
  lab = await startLab({ LAB_ACCOUNT_SANDBOXES: '4', LAB_DISK_BYTES: String(diskBytes), LAB_EVALUATION_SPACING_SECONDS: '0' })
  isOpen = true
  inside = await openInstallation(readConfig({ LAB_DATA_DIR: lab.dataDir }))
  meter = inside.engine.openDiskMeter()
  await meter.measure(diskBytes)
  const [filler, forker, eater, neighbour] = await Promise.all([start(), start(), start(), start()])
  Object.assign(sessions, { filler, forker, eater, neighbour })
})
const close = async () => {
  if (!isOpen) return
  isOpen = false
  await meter?.close()
  await inside?.store.close()
  await lab.close()
}
afterAll(close)

type Who = keyof typeof sessions

const attempt = (who: Who, command: string, container?: string, more: object = {}) =>
  lab.call('POST', '/api/v1/sandbox/exec', {
    session_id: sessions[who].session_id,
    command,
    ...(container === undefined ? {} : { container }),
    ...more,
  })

const exec = async (who: Who, command: string, container?: string, more: object = {}): Promise<SandboxExecResponse> => {
  const answer = await attempt(who, command, container, more)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
  return answer.body
}

/** Starts a program that keeps running after its exec. */
const unleash = (who: Who, container: string, program: string) =>
  exec(who, 'cat > /tmp/attack; setsid sh /tmp/attack > /dev/null 2>&1 < /dev/null &', container, { stdin: program })

const readSession = async (who: Who): Promise<SandboxSession> => (await lab.call('GET', `/api/v1/sandbox/${sessions[who].id}`)).body

const statsOf = (who: Who, container: string) =>
  inside.docker.getContainer(`${container}-${sessions[who].id}`).stats({ stream: false, 'one-shot': true } as { stream: false })

const processorSeconds = async (who: Who, container: string) => (await statsOf(who, container)).cpu_stats.cpu_usage.total_usage / 1e9

const fillDeleted = 'while :; do (exec 3> /tmp/fill; rm /tmp/fill; dd if=/dev/zero bs=1M count=900 >&3; sleep 1000) & sleep 1; done'
const forkBomb = `exec python3 -c '
import mmap, os
held = [mmap.mmap(-1, 8192, prot=mmap.PROT_READ if number % 2 else mmap.PROT_READ | mmap.PROT_WRITE) for number in range(2000)]
while True:
    try:
        os.fork()
    except OSError:
        pass'`
const memoryBomb = `while :; do python3 -c 'x = b"x" * (1 << 30)'; done`

/** The events that a terminal receives beside its output. */
const watchTerminal = async (who: Who) => {
  const events: Record<string, unknown>[] = []
  const socket = new WebSocket(`${lab.url.replace('http', 'ws')}/api/v1/sandbox/terminal`)
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve()
  })
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error('the terminal did not open'))
    socket.onopen = () => socket.send(JSON.stringify({ session_id: sessions[who].session_id, token: lab.token, columns: 80, rows: 24 }))
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') return
      events.push(JSON.parse(data))
      resolve()
    }
  })
  return { events, closed }
}

const grade = async (who: Who): Promise<Evaluation> => {
  const answer = await lab.call('POST', '/api/v1/sandbox/eval', { session_id: sessions[who].session_id })
  expect(answer.status).toBe(200)
  return Evaluation.parse(answer.body)
}

const oomKills = async () => {
  const counters = 'cat /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events 2>/dev/null'
  const answer = await attempt('eater', counters, 'app')
  return Number(/^oom_kill (\d+)/m.exec(answer.body.stdout ?? '')?.[1] ?? 0)
}

describe('a disk fill, a fork bomb and a memory bomb at once', () => {
  it('end or stay where they are, while a neighbour is repaired and passes', async () => {
    const before = await meter.room()
    let least = before?.freeBytes ?? 0
    const sampling = setInterval(async () => {
      least = Math.min(least, (await meter.room())?.freeBytes ?? least)
    }, 100)
    const terminal = await watchTerminal('filler')
    await Promise.all([
      unleash('filler', 'app', fillDeleted),
      unleash('filler', 'ops', fillDeleted),
      unleash('forker', 'app', forkBomb),
      unleash('eater', 'app', memoryBomb),
    ])

    await repair(lab, sessions.neighbour)
    const evaluation = await grade('neighbour')
    expect(evaluation.checkpoints.filter(({ passed }) => !passed)).toEqual([])
    expect(evaluation).toMatchObject({ passed: true, score: 100 })

    await expect
      .poll(async () => readSession('filler'))
      .toMatchObject({
        status: 'terminated',
        termination_reason: 'disk_exceeded',
      })
    await terminal.closed
    clearInterval(sampling)
    expect(terminal.events.slice(1)).toEqual([{ warning: 'the sandbox has ended: it exceeded its disk allowance' }, { exit: true }])
    expect(await attempt('filler', 'true')).toMatchObject({
      status: 409,
      body: { error: { code: 'sandbox_not_running', message: expect.stringContaining('disk allowance') } },
    })
    if (before !== null) expect(least).toBeGreaterThan(before.freeBytes / 2)

    const { pids_stats: pids } = await statsOf('forker', 'app')
    expect(pids?.current).toBe((pids as { limit?: number } | undefined)?.limit)
    await expect.poll(oomKills).toBeGreaterThan(1)
  })

  it('leave the service well, and work in the sandboxes beside them and in those where they are', async () => {
    expect(await lab.call('GET', '/api/v1/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
    for (const who of ['forker', 'eater', 'neighbour'] as const) expect((await exec(who, 'echo fine')).stdout).toBe('fine\n')
    expect(await readSession('forker')).toMatchObject({ status: 'running' })
    expect(await readSession('eater')).toMatchObject({ status: 'running' })
  })
})

/** Datagrams to changing ports, and as many connections as possible. */
const connectionFlood = `
import resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
end = time.monotonic() + ${floodSeconds}
web = socket.gethostbyname("web")
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sent, held = 0, []
while time.monotonic() < end:
    for _ in range(500):
        try:
            datagrams.sendto(b"x", (web, 1024 + sent % 60000))
            sent += 1
        except OSError:
            pass
    try:
        connection = socket.socket()
        connection.setblocking(False)
        held.append(connection)
        connection.connect_ex((web, 80))
    except OSError:
        pass
print(sent, len(held))`

const logFlood = `timeout ${floodSeconds} yes 'a line of a log that nobody wants to read' | tee /proc/1/fd/1 | wc -c`
const burn = `for i in 1 2 3 4; do timeout ${floodSeconds} sh -c 'while :; do :; done' & done; wait`

/** The size of the host's conntrack table, where it can be read. */
const followed = async () => Number(await readFile('/proc/sys/net/netfilter/nf_conntrack_count', 'utf8').catch(() => Number.NaN))

describe('a flood of logs, a flood of connections and a burning processor at once', () => {
  it('are borne by the sandbox that they are in', async () => {
    await lab.call('POST', '/api/v1/sandbox/stop', { session_id: sessions.forker.session_id })
    await exec('eater', 'pkill -f /tmp/attack; pkill -f python3.-c; true', 'app')
    const breathes = async () => (await exec('eater', `python3 -c 'print("a" * 2**20)' | wc -c`, 'app')).stdout
    await expect.poll(breathes).toBe(`${2 ** 20 + 1}\n`) // memory that was eaten takes a moment to come back
    const idle = await processorSeconds('eater', 'db')
    const before = await followed()
    const options = { timeout_seconds: floodSeconds + 60 }
    const attacks = Promise.all([
      exec('eater', logFlood, 'web', options),
      exec('eater', 'python3 -', 'app', { ...options, stdin: connectionFlood }),
      exec('eater', burn, 'db', options),
    ])
    let isOver = false
    void attacks.finally(() => {
      isOver = true
    })
    let served = 0
    let most = before
    while (!isOver) {
      const ask = 'for i in 1 2 3 4 5; do curl -fs -m 10 -o /dev/null http://web/health || exit 1; done; echo served'
      expect((await exec('neighbour', ask)).stdout).toBe('served\n')
      expect(await lab.call('GET', '/api/v1/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
      served += 1
      most = Math.max(most, await followed())
    }
    expect(served).toBeGreaterThan(0)

    const [logged, flooded] = await attacks
    expect(Number(logged.stdout)).toBeGreaterThan(1_000_000)
    expect(flooded, flooded.stderr).toMatchObject({ exit_code: 0 })
    const [sent, held] = flooded.stdout.split(' ').map(Number) as [number, number]
    expect(sent).toBeGreaterThan(10_000)
    expect(held).toBeGreaterThan(20)
    if (!Number.isNaN(before)) expect(most - before).toBeLessThan(sent / 4)
    expect((await processorSeconds('eater', 'db')) - idle).toBeGreaterThan(0.2)

    const use = (await meter.measure(diskBytes)).uses.get(sessions.eater.id)
    expect(use?.bytes).toBeLessThan(diskBytes)
    expect(await readSession('eater')).toMatchObject({ status: 'running' })
  })
})

describe('afterwards', () => {
  it('nothing is left on the engine, and the disk has its room back', async () => {
    const stop = ({ session_id }: SandboxSession) => lab.call('POST', '/api/v1/sandbox/stop', { session_id })
    for (const answer of await Promise.all(Object.values(sessions).map(stop))) expect(answer.status).toBe(200)
    const filters = labelFilter({ installation: inside.store.installation })
    const roles = async () => (await inside.docker.listContainers({ all: true, filters })).map(({ Labels }) => Labels[labelKeys.role])
    expect(await inside.engine.list()).toEqual([])
    expect(new Set(await roles())).toEqual(new Set(['inspector', 'meter']))
    await close()
    await expect.poll(roles).toEqual([])
  })
})
