import { afterAll, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { bareService, patience, useSandbox } from './fixture.ts'

const mebibyte = 1024 ** 2
const enough = 1024 * mebibyte

/** Runs on after the exec that started it, and says when it has done its work. */
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

/** Keeps 40 MiB in a file that only a descriptor in flight still names. */
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

/** A mapped file whose name reads like several lines of the kernel's table. */
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
  ])('counts a file that is %s, until it is let go', async (_, program) => {
    const growth = await growthBy(() => hold('one', program))
    expect(growth).toBeGreaterThan(39)
    expect(growth).toBeLessThan(42)
    await letGo('one')
    await expect.poll(async () => (await use()).bytes, patience).toBeLessThan(10 * mebibyte)
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

  it('tells who hides something: descriptors that nobody receives, folders without end', async () => {
    expect((await use()).hides).toBe(false)
    await hold('one', holdInFlight)
    expect((await use()).hides).toBe(true)
    await letGo('one')
    await expect.poll(async () => (await use()).hides, patience).toBe(false)
    await read('two', 'python3 -', { stdin: nest })
    expect((await use()).hides).toBe(true)
    await letGo('two')
  })

  it('measures on when what measured has been lost', async () => {
    const another = engine.openDiskMeter()
    await another.measure(enough)
    await another.close()
    expect((await another.measure(enough)).uses.has(id)).toBe(true)
    await another.close()
  })
}
