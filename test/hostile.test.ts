// Sandboxes that try to deceive or block inspectors: file names that are not UTF-8, process names that look like kernel tables,
// leases, endless files. The sandbox that does it fails its check quickly, and no other sandbox is affected.

import { finished } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Probe } from '../src/catalog/probe-file.ts'
import type { Guard } from '../src/catalog/scenario-instance.ts'
import { stopwatch } from '../src/clock.ts'
import { containerName } from '../src/engine/docker/container-options.ts'
import type { Baseline } from '../src/grading/baseline.ts'
import { type Observer, openObserver } from '../src/grading/observer.ts'
import { observe } from '../src/grading/probe-tree.ts'
import { observeTopology } from '../src/grading/topology.ts'
import { createId } from '../src/ids.ts'
import { bareService, inMinutes, inspect, outputOf, script } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'
import { inspectorPrograms } from './support/inspector-programs.ts'

const { engine, docker, installation, cleanUp } = createTestEngine()
const [hostile, honest] = [createId(), createId()]
const anything = z.record(z.string(), z.any())
/** Far more than an inspection takes, far less than one that hangs. */
const soonMs = 9_000
/** On tmpfs, writes through a mapping do not change the timestamps of a file. */
const storage = [{ path: '/data', bytes: 16 * 1024 ** 2 }]
let observer: Observer
let neighbour: Observer

beforeAll(async () => {
  await engine.prepare(() => undefined)
  const create = (id: string) =>
    engine.create({
      id,
      deadline: inMinutes(10),
      topology: { services: [bareService('one', { pids: 256, storage })], readyTimeoutSeconds: 30 },
    })
  await Promise.all([hostile, honest].map(create))
  observer = openObserver(engine, hostile)
  neighbour = openObserver(engine, honest)
})
afterAll(async () => {
  await Promise.all([observer?.close(), neighbour?.close()])
  await cleanUp()
})

const at = { sandbox: hostile, service: 'one' }
const run = async (text: string, stdin = '') => outputOf(await engine.execDirect(at, script(text, { stdin })))
/** Keeps running after the exec that started it; resolves when it has reported that it is done. */
const unleash = (program: string) =>
  run(
    'cat > /srv/program.py; rm -f /srv/done; setsid python3 /srv/program.py > /srv/said 2>&1 < /dev/null & until [ -e /srv/done ]; do sleep 0.05; done',
    `${program}\nopen('/srv/done', 'w')\nimport time\ntime.sleep(1000)`,
  )
/** Killed by executable, because processes can choose their names; and by name where the executable cannot be read from inside. */
const killPrograms =
  'pkill -KILL python3; for t in /proc/[0-9]*/task/*; do case "$(readlink $t/exe)" in *python3*) kill -KILL $(basename $t) ;; esac; done'
afterEach(() => run(`${killPrograms}; rm -rf /srv/* /tmp/* /data/* /etc/ld.so.preload`))
const inspectService = (question: Record<string, unknown>, by = observer) => by.inspect('one', question, anything)
/** Inspects the processes several times: the results, or the errors. */
const inspectOften = async <T>(
  count: number,
  make: (processes: Record<string, unknown>[]) => T,
  by = observer,
): Promise<(T | string)[]> => {
  const found: (T | string)[] = []
  for (let index = 0; index < count; index += 1) {
    found.push(
      await inspectService({ inspection: 'processes', since: Date.now() / 1000 }, by).then(
        ({ processes }) => make(processes),
        (error: Error) => error.message,
      ),
    )
  }
  return found
}
const pythonsIn = (processes: Record<string, unknown>[]) => processes.filter(({ executable }) => executable === '/usr/bin/python3.11')

const programsThatLook = () => inspectorPrograms(docker, installation)
const looking = async () => (await programsThatLook()).looking

describe('a name that is no text', () => {
  it('hides neither a process nor what it listens on', async () => {
    await unleash(`
import ctypes, socket
server = socket.create_server(('', 7001))
assert ctypes.CDLL(None).prctl(15, b'\\xff\\n\\r) R 1', 0, 0, 0) == 0`)
    const [{ processes }, { listeners }] = await Promise.all([
      inspectService({ inspection: 'processes' }),
      inspectService({ inspection: 'listeners' }),
    ])
    expect(processes.map(({ executable }: { executable: string }) => executable)).toContain('/usr/bin/python3.11')
    expect(listeners).toContainEqual(expect.objectContaining({ port: 7001, executable: '/usr/bin/python3.11', uid: 0 }))
  })

  it('hides neither setuid programs nor files of a guarded folder', async () => {
    await run(
      `mkdir /srv/tree; cp /bin/true "/srv/tree/$(printf '\\377')"; chmod 4755 /srv/tree/*; ln -s "$(printf '\\376')" /srv/tree/link`,
    )
    const changes = (await engine.changes(at)) ?? []
    const paths = changes.filter(({ path }) => path.startsWith('/srv/tree/')).map(({ path }) => path)
    expect((await inspectService({ inspection: 'powers', paths })).paths).toEqual(['/srv/tree/\\xff'])
    expect(Object.keys((await inspectService({ inspection: 'trees', paths: ['/srv/tree'] })).entries)).toHaveLength(3)
  })
})

it('a process whose first thread has ended is still a process', async () => {
  await unleash(`
import ctypes, platform, socket, threading, time
def serve():
    server = socket.create_server(('', 7002))
    time.sleep(0.2)
    open('/srv/done', 'w')
    time.sleep(1000)
threading.Thread(target=serve).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)`)
  const { listeners } = await inspectService({ inspection: 'listeners' })
  expect(listeners).toContainEqual(expect.objectContaining({ port: 7002, executable: '/usr/bin/python3.11' }))
})

describe('who is another each moment', () => {
  const threadChain = `
import _thread
def hop():
    while True:
        try: return _thread.start_new_thread(hop, ())
        except RuntimeError: pass`
  const forkChain = `
import os
if os.fork() == 0:
    os.execvp('perl', ['perl', '-e', '$SIG{CHLD} = "IGNORE"; while (1) { my $next = fork; exit if $next }'])`
  const syscall = "__import__('ctypes').CDLL(None).syscall"
  const failure = 'could not be read'

  it('by threads that follow each other after the first has ended is seen, or the inspection fails', async () => {
    await unleash(`${threadChain}
open('/srv/done', 'w')
call = ${syscall}
hop()
call({'x86_64': 60, 'aarch64': 93}[__import__('platform').machine()], 0)`)
    const outcomes = await inspectOften(80, (processes) => (pythonsIn(processes).length > 0 ? 'seen' : 'missed'))
    expect(outcomes.filter((outcome) => outcome !== 'seen' && !outcome.includes(failure))).toEqual([])
  })

  /** The users of all processes of the service, where one has ended between being listed and being read. */
  const usersWhenListing = async (listed: string): Promise<number[]> =>
    JSON.parse(
      await inspect(engine, at, [
        'python3',
        '-c',
        `
import json, os, sys
sys.path.insert(0, '/opt/probe')
from hostile import FOLDER
from processes import Processes
from users import Users
proc, service = os.open('/proc', FOLDER), os.open(f'/proc/{sys.argv[1]}', FOLDER)
list_all, ended, lists = os.listdir, ['4194304'], []
def listdir(folder):
    names = list_all(folder)
    if lists or not (${listed}): return names
    lists.append(folder)
    return ended
os.listdir = listdir
seen = Processes(proc, service).each(lambda process, _: process.identity(Users(service))['uid'])
print(json.dumps(sorted(seen)))`,
      ]),
    )

  it.each([
    ['a process', 'folder == proc'],
    ['a thread', 'folder != proc and len(names) == 2'],
  ])('%s that has ended when it is looked at may have left another behind', async (_, listed) => {
    await unleash(`
import threading, time
__import__('os').chmod('/srv', 0o777)
threading.Thread(target=time.sleep, args=(1000,)).start()
assert ${syscall}({'x86_64': 117, 'aarch64': 147}[__import__('platform').machine()], 900, 900, 900) == 0`)
    const [usual, once] = [await usersWhenListing('False'), await usersWhenListing(listed)]
    expect([usual, once]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })

  it('by processes that follow each other is seen, or the inspection fails; the inspections of a neighbour do not', async () => {
    await unleash(forkChain)
    const [outcomes, others] = await Promise.all([
      inspectOften(40, (processes) => (processes.some(({ executable }) => executable === '/usr/bin/perl') ? 'seen' : 'missed')),
      inspectOften(20, (processes) => processes.length, neighbour),
    ])
    await run('for i in $(seq 200); do pkill -KILL perl; done; true')
    expect(outcomes.filter((outcome) => outcome !== 'seen' && !outcome.includes(failure))).toEqual([])
    expect(new Set(others)).toEqual(new Set([2]))
  })
})

it('a listening socket that no process holds, because it is on its way to one, makes the inspection fail', async () => {
  await unleash(`
import socket
server = socket.create_server(('', 7003))
near, far = socket.socketpair(socket.AF_UNIX)
socket.send_fds(near, [b'.'], [server.fileno()])
server.close()`)
  await expect(inspectService({ inspection: 'listeners' })).rejects.toThrow('open in no process')
  await run(killPrograms)
  expect((await inspectService({ inspection: 'listeners' })).listeners).toEqual([])
})

it('a process is as powerful as the most powerful of its threads', async () => {
  await unleash(`
import ctypes, os, platform, threading, time
os.chmod('/srv', 0o777)
threading.Thread(target=time.sleep, args=(1000,)).start()
libc = ctypes.CDLL(None, use_errno=True)
assert libc.syscall({'x86_64': 117, 'aarch64': 147}[platform.machine()], 900, 900, 900) == 0`)
  const { processes } = await inspectService({ inspection: 'processes' })
  const python = processes.filter(({ executable }: { executable: string }) => executable === '/usr/bin/python3.11')
  expect(python).toEqual([expect.objectContaining({ uid: 0, privileged: true })])
})

describe('a file among many, or far down in a long one', () => {
  const probe = (expect: unknown) => Probe.parse({ file: { in: 'one', path: '/srv/tree/*', expect } })
  const passes = async (expect: unknown) => (await observe(probe(expect), { observer, scriptText: () => '', values: {} })).passed

  it('is found', async () => {
    await run('mkdir /srv/tree; { head -c 3000000 /dev/zero; echo "a fault"; } > /srv/tree/long; echo blue > /srv/tree/short')
    expect(await passes({ lacks: 'a fault' })).toBe(false)
    expect(await passes({ contains: ['a fault', 'blue'] })).toBe(true)
    expect(await passes({ lacks: 'a faulty' })).toBe(true)
  })

  it('is not passed over where no pattern can be tried on all of it', async () => {
    await run('mkdir /srv/tree; head -c 3000000 /dev/zero > /srv/tree/long')
    expect(await passes({ lacks_matches: 'fault' })).toBe(false)
    await run('mkdir -p /srv/tree; rm /srv/tree/*; echo calm > /srv/tree/short')
    expect(await passes({ lacks_matches: 'fault' })).toBe(true)
    expect(await passes({ lacks_matches: '^calm$' })).toBe(false)
  })

  it('checks every file among many, and fails where there are too many to read', async () => {
    await run('mkdir /srv/tree; cd /srv/tree; seq -w 1000 | xargs touch')
    expect(await passes({ others_write: false })).toBe(true)
    await run('chmod 666 /srv/tree/1000')
    expect(await passes({ others_write: false })).toBe(false)
    await run('cd /srv/tree; chmod 644 *; seq -w 10000 | xargs touch')
    expect(await passes({ others_write: false })).toBe(false)
  })
})

describe('foreign code', () => {
  /** The verdict with a baseline from that time which contains only the code of python3. */
  const gradeSince = async (takenAt: number) => {
    const state = (await engine.describe(hostile))?.services[0]
    const python = '/usr/bin/python3.11'
    const own = (await inspectService({ inspection: 'processes' })).processes.find(
      ({ executable }: { executable: string }) => executable === python,
    )
    const code = { [python]: own.sha256 }
    const guard: Guard = { mustRun: [python], intact: [], mayChange: [], providedFiles: [], settings: {} }
    const before = {
      imageId: state?.imageId ?? '',
      addresses: state?.addresses ?? [],
      preload: '',
      code,
      trees: {},
      settings: {},
      folders: {},
    }
    const kept = { values: {}, stores: {}, records: {}, secrets: {}, logs: {} }
    const baseline: Baseline = { version: '', takenAt, services: { one: before }, ...kept }
    return observeTopology(observer, { one: guard }, baseline)
  }
  const foreign = (path: string) => ({ passed: false, saw: expect.stringContaining(`runs code that was not there before, from ${path}`) })

  it('is foreign, whatever a file of that name leads to', async () => {
    await unleash(`
import ctypes, glob, os, shutil
shutil.copy(glob.glob('/lib/*-linux-gnu/libm.so.6')[0], '/tmp/evil')
ctypes.CDLL('/tmp/evil')
os.unlink('/tmp/evil')
os.symlink('/bin/sh', '/tmp/evil (deleted)')`)
    expect(await gradeSince(Date.now() / 1000 - 5)).toMatchObject(foreign('/tmp/evil (deleted)'))
  })

  it('is foreign in a storage that keeps no times, however old the file says it is', async () => {
    await unleash(`
import ctypes, glob, shutil
shutil.copy(glob.glob('/lib/*-linux-gnu/libm.so.6')[0], '/data/evil')
ctypes.CDLL('/data/evil')`)
    expect(await gradeSince(Date.now() / 1000 + 5)).toMatchObject(foreign('/data/evil'))
  })
})

it('a write through a mapping is seen by the next inspection, although the timestamps do not change', async () => {
  await unleash(`
import mmap, os, time
file = os.open('/data/guarded', os.O_RDWR | os.O_CREAT)
os.write(file, b'good' * 1024)
mapping = mmap.mmap(file, 4096)
mapping[0]
open('/srv/done', 'w')
while not os.path.exists('/srv/store'): time.sleep(0.01)
mapping[:3] = b'bad'
os.rename('/srv/store', '/srv/stored')`)
  const changed = () => run('stat -c %z /data/guarded')
  const tree = async () => (await inspectService({ inspection: 'trees', paths: ['/data'] })).entries['/data/guarded']
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const [before, at] = [await tree(), await changed()]
  await run('touch /srv/store; until [ -e /srv/stored ]; do sleep 0.05; done')
  expect([await changed(), await run('head -c 3 /data/guarded')]).toEqual([at, 'bad'])
  expect(await tree()).not.toBe(before)
})

describe('what never ends', () => {
  const holdLeases = `
import fcntl, os, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
os.mkdir('/srv/tree')
for number in range(8):
    file = os.open(f'/srv/tree/{number}', os.O_RDWR | os.O_CREAT)
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)`
  const makeSparse = `
import os
os.mkdir('/srv/tree')
for number in range(900):
    os.truncate(os.open(f'/srv/tree/{number}', os.O_RDWR | os.O_CREAT), 60 << 20)
    os.closerange(3, 10)`
  it.each([
    ['leases on guarded files', holdLeases, { inspection: 'trees', paths: ['/srv/tree'] }],
    ['leases on a file that is asked for', holdLeases, { inspection: 'file', path: '/srv/tree/*', words: ['a fault'] }],
    ['files that are long and empty', makeSparse, { inspection: 'trees', paths: ['/srv/tree'] }],
  ])('%s fail the inspection at once, and leave nothing behind', async (_, program, question) => {
    await unleash(program)
    const elapsed = stopwatch()
    const [outcome] = await Promise.allSettled([inspectService(question)])
    const tookMs = elapsed()
    expect([outcome?.status, (outcome as PromiseRejectedResult).reason?.observation?.passed]).toEqual(['rejected', false])
    expect(tookMs).toBeLessThan(soonMs)
    await expect(inspectService({ inspection: 'trees', paths: ['/etc'] }, neighbour)).resolves.toMatchObject({ entries: {} })
    await Promise.all([observer.forget('one'), neighbour.forget('one')])
    expect(await looking()).toEqual([])
  })

  it('what cannot be observed is not taken for absent', async () => {
    await unleash(holdLeases)
    const file = (path: string) => ({ file: { in: 'one', path, expect: { contains: ['a fault'] } } })
    const passed = async (probe: unknown) => (await observe(Probe.parse(probe), { observer, scriptText: () => '', values: {} })).passed
    expect(await passed({ not: file('/srv/program.py') })).toBe(true)
    expect(await passed({ not: file('/srv/tree/0') })).toBe(false)
    expect(await passed({ not: { any: [file('/srv/program.py'), file('/srv/tree/0')] } })).toBe(false)
  })

  it('a process that is another each moment is seen, or the inspection fails', async () => {
    await unleash(`
import os, sys
if os.fork() == 0:
    while True:
        if os.fork() != 0: os._exit(0)`)
    const outcome = await inspectService({ inspection: 'processes' }).then(
      ({ processes }) => processes.filter(({ executable }: { executable: string }) => executable.includes('python')).length > 1,
      (error: Error) => error.message.includes('could not be read'),
    )
    await run('for i in $(seq 50); do pkill -KILL python3; done; true')
    expect(outcome).toBe(true)
  })
})

describe('an access list', () => {
  it('is a change of a file and of a folder, and is told', async () => {
    const trees = async () => (await inspectService({ inspection: 'trees', paths: ['/srv/kept'] })).entries
    await run('mkdir -p /srv/kept/folder; echo secret > /srv/kept/file; chmod 640 /srv/kept/file')
    const before = await trees()
    await unleash(`
import os, struct
entries = [(1, 6, 2**32 - 1), (2, 4, 33), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 0, 2**32 - 1)]
listed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
os.setxattr("/srv/kept/file", "system.posix_acl_access", listed)
os.setxattr("/srv/kept/folder", "system.posix_acl_default", listed)`)
    const now = await trees()
    expect(
      Object.keys(now)
        .filter((path) => now[path] !== before[path])
        .sort(),
    ).toEqual(['/srv/kept/file', '/srv/kept/folder'])
    const { entries } = await inspectService({ inspection: 'file', path: '/srv/*/*' })
    expect(entries.map(({ path, mode, acl }: Record<string, unknown>) => [path, mode, acl])).toEqual([
      ['/srv/kept/file', '0640', true],
      ['/srv/kept/folder', '0755', true],
    ])
  })
})

describe('inspectors', () => {
  const inspectOne = (argv: readonly string[]) => inspect(engine, at, argv)

  it('read no process of another container, whatever pid they are given', async () => {
    const main = async (sandbox: string) => (await docker.getContainer(containerName(sandbox, 'one')).inspect()).State.Pid
    const askAbout = (pid: number) =>
      inspectOne([
        'sh',
        '-c',
        `{ echo '{"id": 1, "inspection": "preload"}'; sleep 2; } | python3 /opt/probe/inspect_service.py ${pid} "$1" 2>&1`,
      ])
    expect(await askAbout(await main(hostile))).toBe('{"id": 1, "text": ""}\n')
    expect(await askAbout(await main(honest))).toBe('this pid is not a process of the service\n')
  })

  it('are told the main process of the moment when their turn has come', async () => {
    await observer.forget('one')
    const open = () => engine.openInspector(at, ['sh', '-c', 'sleep 1000'])
    const [first, second] = [await open(), await open()]
    const waiting = inspectOne(['sh', '-c', 'readlink /proc/$0/ns/pid'])
    await new Promise((resolve) => setTimeout(resolve, 500))
    await engine.restart(at)
    await first.close()
    expect(await waiting).toMatch(/^pid:/)
    await second.close()
  })

  it('are started before they are needed, a few of them, and one that was killed is replaced', async () => {
    const waiting = async () => (await programsThatLook()).waiting
    await inspectService({ inspection: 'preload' })
    await expect.poll(waiting).toHaveLength(6)
    const before = await waiting()
    await observer.forget('one')
    await inspectService({ inspection: 'preload' })
    expect((await waiting()).filter((pid) => before.includes(pid))).toHaveLength(5)
    await inspectOne(['sh', '-c', 'pkill -KILL -f inspect_service.py$'])
    await observer.forget('one')
    await inspectService({ inspection: 'preload' })
    await expect.poll(waiting).toHaveLength(6)
  })

  it('tell by an empty inspection how long others wait', async () => {
    await engine.inspectNothing()
    const container = docker.getContainer(`inspector-${installation}`)
    const { Processes: programs } = (await container.top({ ps_args: '-eo pid,args' })) as { Processes: string[][] }
    const reader = programs.find(([, args]) => args?.includes('layer_changes'))?.[0] ?? ''
    const signal = async (name: string) => {
      const exec = await container.exec({ Cmd: ['kill', `-${name}`, reader], AttachStdout: true, AttachStderr: true })
      const said = await exec.start({})
      await finished(said.resume())
      expect((await exec.inspect()).ExitCode).toBe(0)
    }
    await signal('STOP')
    let isAnswered = false
    const answered = engine.inspectNothing().then(() => {
      isAnswered = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isAnswered).toBe(false)
    await signal('CONT')
    await answered
  })

  it('of one service are limited; the next waits for its turn, and other services do not', async () => {
    const open = (sandbox: string) => engine.openInspector({ sandbox, service: 'one' }, ['sh', '-c', 'sleep 1000'])
    await Promise.all([observer.forget('one'), neighbour.forget('one')])
    const [first, second] = [await open(hostile), await open(hostile)]
    let third: Awaited<ReturnType<typeof open>> | undefined
    const opening = open(hostile).then((channel) => {
      third = channel
    })
    const other = await open(honest)
    expect(third).toBeUndefined()
    await first.close()
    await opening
    expect(third).toBeDefined()
    await Promise.all([second.close(), third?.close(), other.close()])
    await expect.poll(looking).toEqual([])
  })
})

it('a main program that ends while it is inspected is told in plain words', async () => {
  const looks = neighbour.inspect('one', { inspection: 'processes' }, anything)
  await expect(looks).resolves.toBeDefined()
  await engine.destroy(honest)
  await expect(neighbour.inspect('one', { inspection: 'processes' }, anything)).rejects.toThrow(
    'one could not be read: its main program has ended',
  )
})
