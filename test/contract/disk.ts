import { afterAll, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'
import { deep } from '../support/test-mode.ts'
import { bareService, inMinutes, outputOf, script, useSandbox } from './fixture.ts'

const mebibyte = 1024 ** 2
const enough = 1024 * mebibyte

/** Keeps running after the exec that started it, and reports when it is done. */
const lasting = `
cat > /srv/program.py; rm -f /srv/done; setsid python3 /srv/program.py > /dev/null 2>&1 < /dev/null &
for i in $(seq 200); do [ -e /srv/done ] && exit 0; sleep 0.05; done; exit 1`

const holdOpen = `
import os, time
file = open('/srv/held', 'wb')
os.unlink('/srv/held')
for _ in range(40): file.write(bytes(1 << 20)); file.flush()
open('/srv/done', 'w')
time.sleep(1000)`

const holdMapped = `
import mmap, os, time
file = open('/srv/held', 'w+b')
file.truncate(40 << 20)
held = mmap.mmap(file.fileno(), 0)
for at in range(0, 40 << 20, 4096): held[at] = 1
file.close()
os.unlink('/srv/held')
os.closerange(3, 100)
open('/srv/done', 'w')
time.sleep(1000)`

/** Keeps 40 MiB in a deleted file that only a descriptor in flight refers to. */
export const holdInFlight = `
import os, socket, time
near, far = socket.socketpair()
file = open('/srv/held', 'wb')
os.unlink('/srv/held')
for _ in range(40): file.write(bytes(1 << 20)); file.flush()
socket.send_fds(near, [b'x'], [file.fileno()])
file.close()
open('/srv/done', 'w')
time.sleep(1000)`

/** The beginning of every program below: 40 MiB in a deleted file. */
const written = `
import ctypes, mmap, os, platform, socket, threading, time
file = os.open('/srv/held', os.O_RDWR | os.O_CREAT)
for _ in range(40): os.write(file, bytes(1 << 20))
os.unlink('/srv/held')
done = lambda: os.close(os.open('/srv/done', os.O_CREAT))
wanted = lambda: os.path.exists('/srv/done')`

const mapOnePage = `${written}
held = mmap.mmap(file, 4096)
os.closerange(3, 100)
done()
time.sleep(1000)`

/** Its main thread ends, and the fd table of the process is empty from then on. */
const loseFirstThread = `${written}
held = mmap.mmap(file, 0)
os.closerange(3, 100)
ended = lambda: any(line.startswith('State:\tZ') for line in open('/proc/self/status'))
def live():
    while not ended(): time.sleep(0.01)
    done()
    while wanted(): time.sleep(0.01)
    os._exit(0)
threading.Thread(target=live).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)`

/** Each process passes the file to its child and ends before it can be examined: one with many open files is listed first. */
const hop = `${written}
ready, tell = os.pipe()
if os.fork() == 0:
    os.close(file)
    for _ in range(3500): os.open('/dev/null', os.O_RDONLY)
    os.close(tell)
    while not wanted(): time.sleep(0.01)
    while wanted(): time.sleep(0.01)
    os._exit(0)
os.close(tell)
os.read(ready, 1)
done()
while wanted():
    if os.fork(): os._exit(0)
    time.sleep(0.0015)`

/** The same within a process: every thread has descriptors of its own, and the main thread has ended. */
const hopThreads = `${written}
libc = ctypes.CDLL(None)
def step():
    libc.unshare(0x400)
    while wanted():
        try:
            return threading.Thread(target=step).start()
        except RuntimeError: time.sleep(0.001)  # threads that have ended still count for a moment
    os._exit(0)
done()
threading.Thread(target=step).start()
libc.syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)`

/** Always in flight, and each time in another pair of sockets. */
const hopInFlight = `${written}
pairs = [socket.socketpair() for _ in range(200)]
near, far = pairs[0]
socket.send_fds(near, [b'x'], [file])
os.close(file)
done()
for turn in range(1, 1 << 30):
    _, (file,), _, _ = socket.recv_fds(far, 1, 1)
    near, far = pairs[turn % len(pairs)]
    socket.send_fds(near, [b'x'], [file])
    os.close(file)
    time.sleep(0.02)`

/** A running program whose file was deleted, with a small part mapped. */
const runDeleted = `
import os, shutil, time
shutil.copy(shutil.which('sleep'), '/srv/held')
with open('/srv/held', 'ab') as file:
    for _ in range(40): file.write(bytes(1 << 20))
started = os.fork()
if started == 0: os.execv('/srv/held', ['python3 /srv/program', '1000'])
while os.readlink(f'/proc/{started}/exe') != '/srv/held': time.sleep(0.01)
os.unlink('/srv/held')
open('/srv/done', 'w')`

/** A deleted folder that is large because it had many entries. The image has a folder of the same name. */
const holdFolder = `
import os, time
os.chdir('/srv')
open('one', 'w')
for number in range(30_000): os.link('one', f'{number:0250}')
for name in os.listdir(): os.unlink(name)
os.rmdir('/srv')
os.mkdir('/srv')
open('/srv/done', 'w')
time.sleep(1000)`

/** As many mappings as four processes can have, each of another offset beyond the end of an empty file. */
const mapMany = `
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
file = os.open('/srv/held', os.O_RDWR | os.O_CREAT)
os.unlink('/srv/held')
ready, tell = os.pipe()
for child in range(4):
    if os.fork() == 0:
        for page in range(65_000): libc.mmap(None, 4096, 1, 1, file, (page + 65_000 * child) * 8192)
        os.close(file)
        os.write(tell, b'x')
        time.sleep(1000)
os.close(file)
for _ in range(4): os.read(ready, 1)
open('/srv/done', 'w')
time.sleep(1000)`

/** A mapped file whose name looks like several lines of /proc/PID/maps. */
const mapUnreadable = `
import ctypes, mmap, os, time
name = b'/srv/\\xff\\r (deleted)\\r1 (deleted)'
file = os.open(name, os.O_RDWR | os.O_CREAT)
os.ftruncate(file, 4096)
held = mmap.mmap(file, 0)
os.unlink(name)
ctypes.CDLL(None).prctl(15, b'\\xff\\r\\n) R 1', 0, 0, 0)
os.mkdir(b'/srv/\\xfe\\n')
open('/srv/done', 'w')
time.sleep(1000)`

/** Forks without a pause. Each copy of its many mappings takes the lock that a reader of mappings waits for. */
const forkMapped = `
import mmap, os
held = [mmap.mmap(-1, 8192, prot=mmap.PROT_READ if number % 2 else mmap.PROT_READ | mmap.PROT_WRITE) for number in range(2000)]
open('/srv/done', 'w')
while True:
    try:
        os.fork()
    except OSError:
        pass`

const nest = `
import os
os.chdir('/srv')
for _ in range(1500):
    os.mkdir('another level')
    os.chdir('another level')`

export const diskCases = (engine: Engine) => {
  const { id, read, run } = useSandbox(engine, [bareService('one'), bareService('two')])
  const meter = engine.openDiskMeter()
  afterAll(() => meter.close())

  const use = async (limit = enough) => (await meter.measure(limit)).uses.get(id) ?? { bytes: -1, hides: true }
  const growthBy = async (work: () => Promise<unknown>) => {
    const before = await use()
    await work()
    return ((await use()).bytes - before.bytes) / mebibyte
  }
  const hold = (service: string, program: string) => read(service, lasting, { stdin: program })
  const letGo = (service: string) => run(service, 'pkill -KILL -f "^python3 /srv/program"; rm -rf /srv/*')

  it('is told how much room there is, at once after the first measurement', async () => {
    const { room } = await meter.measure(enough)
    expect(room?.freeBytes).toBeGreaterThan(0)
    expect(room?.totalBytes).toBeGreaterThan(room?.freeBytes ?? Number.POSITIVE_INFINITY)
    expect((await meter.room())?.totalBytes).toBe(room?.totalBytes)
  })

  it('counts what files take, in all services, not how long they claim to be', async () => {
    const growth = await growthBy(async () => {
      await read('one', 'head -c 30M /dev/zero > /srv/written; truncate -s 900M /srv/sparse; ln /srv/written /srv/again')
      await read('two', 'head -c 10M /dev/zero > /srv/written')
    })
    expect(growth).toBeGreaterThan(39)
    expect(growth).toBeLessThan(42)
    await letGo('one')
    await letGo('two')
  })

  it.each([
    ['deleted and open', holdOpen],
    ['deleted and mapped', holdMapped],
    ['deleted and mapped in one page', mapOnePage],
    ['deleted and mapped by a process whose first thread has ended', loseFirstThread],
    ['deleted and run', runDeleted],
  ])('counts a file that is %s, until it is let go', async (_, program) => {
    const growth = await growthBy(() => hold('one', program))
    expect(growth).toBeGreaterThan(39)
    expect(growth).toBeLessThan(42)
    await letGo('one')
    await expect.poll(async () => (await use()).bytes).toBeLessThan(10 * mebibyte)
  })

  it('counts what is written past the files of the service, and files that hold nothing', async () => {
    const past = 'for name in hosts hostname resolv.conf; do cp /etc/$name /srv/; head -c 10M /dev/zero > /etc/$name; done'
    expect(await growthBy(() => read('one', past))).toBeGreaterThan(29)
    await read('one', 'for name in hosts hostname resolv.conf; do cat /srv/$name > /etc/$name; done')
    const empty = 'mkdir /srv/many; cd /srv/many; seq 2000 | xargs touch'
    expect(await growthBy(() => read('one', empty))).toBeGreaterThan(31)
    const cutShort = await use(2 * mebibyte)
    expect(cutShort.bytes).toBeGreaterThan(2 * mebibyte)
    expect(cutShort.bytes).toBeLessThan(3 * mebibyte)
    await letGo('one')
  })

  it('measures everybody exactly, whatever names anybody gives to files and processes', async () => {
    await hold('one', mapUnreadable)
    const growth = await growthBy(() => read('two', 'truncate -s 900M /srv/sparse; head -c 10M /dev/zero > /srv/written'))
    expect(growth).toBeGreaterThan(9)
    expect(growth).toBeLessThan(12)
    expect((await meter.measure(enough)).roughBecause).toBeNull()
    await letGo('one')
    await letGo('two')
  })

  it('reports that a sandbox hides something: descriptors that are never received, endlessly nested folders', async () => {
    expect((await use()).hides).toBe(false)
    await hold('one', holdInFlight)
    expect((await use()).hides).toBe(true)
    await letGo('one')
    await expect.poll(async () => (await use()).hides).toBe(false)
    await read('two', 'python3 -', { stdin: nest })
    expect((await use()).hides).toBe(true)
    await letGo('two')
  })

  it.each([
    ['process to process', hop],
    ['thread to thread', hopThreads],
    ['socket to socket', hopInFlight],
  ])('counts a deleted file that goes from %s all the time, or tells that something is hidden', async (_, program) => {
    await hold('one', program)
    const isNoticed = async () => {
      const { bytes, hides } = await use()
      return hides || bytes > 39 * mebibyte
    }
    let noticed = 0
    for (let turn = 0; turn < 20; turn += 1) if (await isNoticed()) noticed += 1
    expect(noticed).toBeGreaterThanOrEqual(18) // it may be missed by a measurement, but not by many
    await letGo('one')
    await expect.poll(isNoticed).toBe(false)
  })

  it('counts a deleted folder that is a working directory', async () => {
    expect(await growthBy(() => hold('one', holdFolder))).toBeGreaterThan(7)
    await letGo('one')
  })

  it('does not report a sandbox that starts a program now and then', async () => {
    await read('one', 'touch /srv/busy; (while [ -e /srv/busy ]; do sleep 0.05; done) > /dev/null 2>&1 &')
    for (let turn = 0; turn < 20; turn += 1) expect((await use()).hides).toBe(false)
    await letGo('one')
  })

  it('measures everybody exactly though many have as many mappings as they can', async () => {
    const ids = Array.from({ length: deep ? 12 : 3 }, createId)
    const services = [bareService('one', { memoryBytes: 96 * mebibyte })]
    const topology = { services, readyTimeoutSeconds: 30 }
    try {
      await Promise.all(ids.map((member) => engine.create({ id: member, deadline: inMinutes(5), topology })))
      for (const member of ids) outputOf(await engine.exec({ sandbox: member, service: 'one' }, script(lasting, { stdin: mapMany })))
      const { uses, roughBecause } = await meter.measure(enough)
      expect(roughBecause).toBeNull()
      expect(uses.get(id)).toMatchObject({ hides: false })
    } finally {
      await Promise.all(ids.map((member) => engine.destroy(member)))
    }
  })

  it('measures everybody else exactly beside processes that cannot be read for minutes, and these can be removed', async () => {
    const bombed = createId()
    const services = [bareService('one', { pids: 512, cpus: 0.5, memoryBytes: 256 * mebibyte })]
    await engine.create({ id: bombed, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 30 } })
    try {
      await hold('one', holdOpen)
      await engine.exec({ sandbox: bombed, service: 'one' }, script(lasting, { stdin: forkMapped }))
      const unread = async () => (await meter.measure(enough)).uses.get(bombed)?.hides
      await expect.poll(unread).toBe(true)
      for (let turn = 0; turn < 3; turn += 1) {
        const { uses, roughBecause } = await meter.measure(enough)
        expect(roughBecause).toBeNull()
        expect(uses.get(id)).toMatchObject({ hides: false })
        expect(uses.get(id)?.bytes).toBeGreaterThan(39 * mebibyte)
      }
    } finally {
      await letGo('one')
      await engine.destroy(bombed)
    }
    expect(await engine.describe(bombed)).toBeNull()
  })

  it('measures everybody in full again while one that exceeds is still there', async () => {
    const greedy = createId()
    const topology = { services: [bareService('one')], readyTimeoutSeconds: 30 }
    await engine.create({ id: greedy, deadline: inMinutes(10), topology })
    try {
      const limit = 80 * mebibyte
      outputOf(await engine.exec({ sandbox: greedy, service: 'one' }, script('head -c 100M /dev/zero > /srv/written')))
      await hold('one', holdOpen)
      expect((await meter.measure(limit)).uses.get(greedy)?.bytes).toBeGreaterThan(limit)
      expect((await use(limit)).bytes).toBeGreaterThan(39 * mebibyte)
    } finally {
      await letGo('one')
      await engine.destroy(greedy)
    }
  })

  it('measures on when what measured has been lost', async () => {
    const another = engine.openDiskMeter()
    await another.measure(enough)
    await another.close()
    expect((await another.measure(enough)).uses.has(id)).toBe(true)
    await another.close()
  })
}
