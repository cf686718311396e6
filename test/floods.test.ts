// Work that is charged to no container: the engine logs container output and answers DNS queries, and the kernel buffers unread
// socket data. Root in a container tries to cause as much of it as possible; each is limited. Uses an engine of its own, because
// its CPU time is measured.

import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cgroupOf } from '../src/engine/docker/daemon/paths.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes, outputOf, python, script } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'
import { type OwnEngine, startOwnEngine } from './support/own-engine.ts'

const id = createId()
const at = { sandbox: id, service: 'one' }
let own: OwnEngine
let port: ReturnType<typeof createTestEngine>

beforeAll(async () => {
  own = await startOwnEngine(['probe'])
  port = createTestEngine({ docker: own.docker })
  const topology = {
    services: [bareService('one', { pids: 256 }), bareService('two', { pids: 128 }), bareService('capture', { capabilities: ['NET_RAW'] })],
    readyTimeoutSeconds: 30,
  }
  await port.engine.create({ id, deadline: inMinutes(10), topology })
})
afterAll(async () => {
  await port?.cleanUp()
  await own?.close()
})

const run = async (text: string, stdin = '') => outputOf(await port.engine.execDirect(at, script(text, { stdin })))
const measure = async (text: string) => JSON.parse(outputOf(await port.engine.execDirect(at, python(text)))) as Record<string, number>

/** CPU seconds that the engine's programs have used. */
const used = async (): Promise<number> => {
  const ticks = (pid: number) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  return (await own.programs()).reduce((sum, pid) => sum + ticks(pid), 0) / 100
}

/** How many CPUs the engine uses meanwhile. */
const load = async (seconds: number): Promise<number> => {
  const before = await used()
  await delay(seconds * 1000)
  return ((await used()) - before) / seconds
}

const logOf = async (): Promise<string> =>
  (await own.docker.getContainer(`one-${id}`).logs({ stdout: true, stderr: true })).toString('latin1')

const ask = `
import os, socket
name = b'\\x03two\\x00'
question = b'\\x00\\x01\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00' + name + b'\\x00\\x01\\x00\\x01'
for _ in range(3):
    os.fork()
sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
for each in sockets:
    each.connect(('127.0.0.11', 53))
while True:
    for each in sockets:
        try:
            each.send(question)
        except OSError:
            pass`

/** Bytes that were sent and never read. */
const fillTcp = `
import json, socket
server = socket.create_server(('127.0.0.1', 7100), backlog=256)
held, sent = [], 0
for _ in range(64):
    one = socket.create_connection(('127.0.0.1', 7100))
    other, _ = server.accept()
    for each in (one, other):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        each.setblocking(False)
    held.append((one, other))
    for each in (one, other):
        try:
            while True:
                sent += each.send(bytes(65536))
        except OSError:
            pass
print(json.dumps({'bytes': sent}))`

const fillUdp = `
import json, socket
held = []
for number in range(64):
    inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inbox.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    inbox.bind(('127.0.0.1', 0))
    inbox.setblocking(False)
    held.append(inbox)
    for _ in range(256):
        try:
            inbox.sendto(bytes(32768), inbox.getsockname())
        except OSError:
            pass
kept = 0
for inbox in held:
    try:
        while True:
            kept += len(inbox.recv(65536))
    except OSError:
        pass
print(json.dumps({'bytes': kept}))`

describe('the programs of the engine', () => {
  it('are in a group of their own, with more of the processors than all containers together', async () => {
    const groupOf = (pid: number) => /^\d+:(?:[^:]*\bcpu\b[^:]*)?:\/(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1]
    const programs = await own.programs()
    expect(programs.length).toBeGreaterThan(4)
    expect([...new Set(programs.map(groupOf))]).toEqual([`${cgroupOf(own.folder)}-engine`])
    const files = (group: string) => [`cpu/${group}/cpu.shares`, `${group}/cpu.weight`].map((file) => `/sys/fs/cgroup/${file}`)
    const shareOf = (group: string) => Number(readFileSync(files(group).find(existsSync) ?? '', 'utf8'))
    expect(shareOf(`${cgroupOf(own.folder)}-engine`)).toBeGreaterThan(shareOf(cgroupOf(own.folder)))
  })
})

describe('a flood of lines', () => {
  it('is written down at a pace that hardly keeps the engine busy, and its container can be restarted', async () => {
    expect(await load(1)).toBeLessThan(0.2)
    await run('setsid sh -c "yes > /proc/1/fd/1 & yes > /proc/1/fd/2 & wait" > /dev/null 2>&1 < /dev/null &')
    const busy = await load(4)
    expect((await logOf()).length).toBeGreaterThan(100_000)
    await port.engine.restart(at)
    expect(busy).toBeLessThan(0.4)
  })

  it('does not affect an ordinary log, which is complete, in order and available at once', async () => {
    await run('for i in $(seq 2000); do echo "line $i of an ordinary log"; done > /proc/1/fd/1; echo "and an error" > /proc/1/fd/2')
    await expect.poll(logOf).toContain('and an error')
    const numbers = [...(await logOf()).matchAll(/line (\d+) of an ordinary log/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(Array.from({ length: 2000 }, (_, index) => index + 1))
  })
})

describe('a flood of questions for names', () => {
  it('is answered at a pace that hardly keeps the engine busy, and names resolve before and after', async () => {
    expect(await run('getent hosts two')).toContain('two')
    await run('cat > /srv/ask.py; setsid python3 /srv/ask.py > /dev/null 2>&1 < /dev/null &', ask)
    const busy = await load(4)
    expect(await run('pgrep -fc ask.p[y]')).toBe('8\n')
    await run('pkill -KILL -f ask.p[y]')
    await expect.poll(() => run('getent hosts two || true')).toContain('two')
    expect(busy).toBeLessThan(0.4)
  })
})

describe('a flood of connections', () => {
  const flood = `
import socket
for number in range(40):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for port in range(1000, 2000):
        try:
            one.sendto(b'x', ('127.0.0.1', port))
        except OSError:
            pass
with open('/proc/sys/net/netfilter/nf_conntrack_count') as count:
    print('{"remembered": ' + count.read() + '}')`

  it('is not tracked: the conntrack table belongs to no container', async () => {
    expect((await measure(flood)).remembered).toBeLessThan(4_000)
    expect(await run('getent hosts two')).toContain('two')
  })
})

/** Netlink answers of the kernel that are never read. */
const fillNetlink = `
import socket, struct
question = struct.pack('=IHHIIBxHiII', 32, 18, 0x301, 1, 0, 0, 0, 0, 0, 0)
held = []
while True:
    one = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    one.setblocking(False)
    held.append(one)
    for _ in range(1000):
        try:
            one.send(question)
        except OSError:
            break`

const fillRings = `
import socket, struct, time
held = []
while True:
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    one.setsockopt(263, 5, struct.pack('IIII', 1 << 16, 128, 2048, 4096))
    held.append(one)
    time.sleep(0.05)`

/** The same from a process whose main thread has ended: most of its files below /proc are empty. */
const fillHidden = `
import ctypes, platform, threading, time
def fill():
    time.sleep(3)
    exec('''${fillNetlink}''', {})
threading.Thread(target=fill).start()
ctypes.CDLL(None).syscall(93 if platform.machine() == 'aarch64' else 60, 0)`

/** Sent data is kept for its timestamps, which are never read. */
const fillErrors = `
import socket
held = []
while True:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    one.setsockopt(socket.IPPROTO_IP, 11, 1)
    one.connect(('127.0.0.1', 9))
    held.append(one)
    for _ in range(200):
        try:
            one.send(bytes(500))
        except OSError:
            pass`

/** Corked datagrams (MSG_MORE) that are never completed. */
const fillCorks = `
import socket, time
held = []
for _ in range(3000):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.connect(('127.0.0.1', 9))
    one.send(bytes(60000), socket.MSG_MORE)
    held.append(one)
time.sleep(60)`

/** Timestamps of every write on a TCP connection, which are never read. */
const stampTcp = `
import json, socket, struct
server = socket.create_server(('127.0.0.1', 7200), backlog=64)
kept = 0
for _ in range(20):
    one = socket.create_connection(('127.0.0.1', 7200))
    other, _ = server.accept()
    for _ in range(20):
        one.sendmsg([bytes(5000)], [(socket.SOL_SOCKET, 37, struct.pack('I', 2))])
        other.recv(65536)
    one.setblocking(False)
    try:
        while True:
            kept += len(one.recvmsg(65536, 1024, socket.MSG_ERRQUEUE)[0])
    except OSError:
        pass
with open('/proc/sys/net/core/tstamp_allow_data') as allowed:
    print(json.dumps({'kept': kept, 'allowed': int(allowed.read())}))`

/** As many threads and descriptors as a large program, while another sandbox has very many locks. */
const manyThreads = `
import fcntl, os, threading, time
held = [os.open('/tmp/many', os.O_RDWR | os.O_CREAT) for _ in range(500)]
for at in range(300):
    fcntl.lockf(held[0], fcntl.LOCK_EX, 1, 2 * at)
for _ in range(50):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
time.sleep(30)`

const openSockets = `
import os, socket, time
for _ in range(4):
    if os.fork() == 0:
        break
held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3000)]
time.sleep(60)`

const takeLocks = `
import fcntl, os, time
held = []
for number in range(120):
    one = os.open(f'/tmp/lock{number}', os.O_RDWR | os.O_CREAT)
    held.append(one)
    for at in range(1000):
        fcntl.lockf(one, fcntl.LOCK_EX, 1, 2 * at)
time.sleep(60)`

describe('kernel memory that is charged to no container', () => {
  const exitCode = async (name: string, sandbox = id) => {
    const { State } = await own.docker.getContainer(`${name}-${sandbox}`).inspect()
    return State.Running ? null : State.ExitCode
  }

  it.each([
    ['answers of netlink', 'one', fillNetlink],
    ['errors of UDP', 'one', fillErrors],
    ['messages that are never complete', 'one', fillCorks],
    ['very many sockets', 'one', openSockets],
    ['locks', 'one', takeLocks],
    ['rings of packets', 'capture', fillRings],
  ])('ends that container, as if it were out of memory, and no other: %s', async (_, service, fill) => {
    const there = { sandbox: id, service }
    const begin = 'cat > /srv/fill.py; setsid python3 /srv/fill.py > /dev/null 2>&1 < /dev/null &'
    await port.engine.execDirect(there, script(begin, { stdin: fill }))
    await expect.poll(() => exitCode(service)).toBe(137)
    expect(await exitCode('two')).toBeNull()
    await port.engine.restart(there)
    expect(outputOf(await port.engine.execDirect(there, script('echo fine')))).toBe('fine\n')
  })

  it('kills a container whose processes cannot be examined', async () => {
    const sandbox = createId()
    const service = bareService('hidden', { init: false, command: ['python3', '-c', fillHidden] })
    await port.engine.create({ id: sandbox, deadline: inMinutes(10), topology: { services: [service], readyTimeoutSeconds: 30 } })
    await expect.poll(() => exitCode('hidden', sandbox)).toBe(137)
  })

  it('is refused where it could not be attributed: timestamps of sent packets, open file description locks', async () => {
    const tries = `
import fcntl, json, socket, struct
def errno(work):
    try:
        work()
    except OSError as error:
        return error.errno
    return 0
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
file = open('/tmp/lock', 'w')
lock = struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 1, 0)
print(json.dumps({
    'stamps': errno(lambda: one.setsockopt(socket.SOL_SOCKET, 37, 0x12)),
    'newer': errno(lambda: one.setsockopt(socket.SOL_SOCKET, 65, struct.pack('ii', 0x12, 0))),
    'ofd': errno(lambda: fcntl.fcntl(file, 37, lock)),
    'posix': errno(lambda: fcntl.lockf(file, fcntl.LOCK_EX, 1)),
    'flags': errno(lambda: fcntl.fcntl(file, fcntl.F_GETFL)),
    'pipe': errno(lambda: fcntl.fcntl(file, 1030, 0)),
}))`
    expect(await measure(tries)).toEqual({ stamps: 1, newer: 1, ofd: 22, posix: 0, flags: 0, pipe: 0 })
  })

  it('is nothing that a connection keeps about what it has sent', async () => {
    expect(await measure(stampTcp)).toEqual({ kept: 0, allowed: 0 })
  })

  it('is not counted once for each thread', async () => {
    const there = { sandbox: id, service: 'two' }
    const begin = 'cat > /srv/fill.py; setsid python3 /srv/fill.py > /dev/null 2>&1 < /dev/null &'
    await port.engine.execDirect(there, script(begin, { stdin: manyThreads }))
    await port.engine.execDirect(at, script(begin, { stdin: takeLocks }))
    await expect.poll(() => exitCode('one')).toBe(137)
    expect(await exitCode('two')).toBeNull()
    expect(outputOf(await port.engine.execDirect(there, script('pgrep -fc fill.p[y]')))).toBe('1\n')
    await port.engine.restart(at)
  })

  it('is no ordinary use: a capture and questions about addresses', async () => {
    const there = { sandbox: id, service: 'capture' }
    const capture = fillRings.replace('while True', 'for _ in range(3)')
    const ask = 'for i in $(seq 100); do ip address > /dev/null; done; sleep 2; echo fine'
    expect(
      outputOf(await port.engine.execDirect(there, script(`python3 -c "$(cat)"; ${ask}`, { stdin: `${capture}\ntime.sleep(2)` }))),
    ).toBe('fine\n')
  })
})

describe('output that is not read', () => {
  it.each([
    ['TCP', fillTcp],
    ['UDP', fillUdp],
  ])('from sockets of %s takes no more than a part of the memory of its container', async (_, fill) => {
    const { bytes } = await measure(fill)
    expect(bytes).toBeGreaterThan(64 * 1024)
    expect(bytes).toBeLessThan(32 * 1024 ** 2)
    expect(await run('echo fine')).toBe('fine\n')
  })
})
