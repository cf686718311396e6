import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes, inProbe, inspectProcesses, outputOf, python, readShare, script, useSandbox } from './fixture.ts'

const allocate = 'x = bytearray(400 << 20); print("got it")'
const rawSocket = 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); print("got it")'
/** Other ways to preallocate: ioctl requests of file systems. */
const reserve = `
import fcntl, os, struct
file = os.open('/srv/reserved', os.O_CREAT | os.O_RDWR)
def attempt(request):
    try:
        fcntl.ioctl(file, request, struct.pack('hhqqiI16x', 0, 0, 0, 1 << 20, 0, 0))
        return 'granted'
    except PermissionError:
        return 'refused'
print(*[attempt(request) for request in (0x40305828, 0x4030582a, 0x40305839)], os.fstat(file).st_blocks)`
const fallBack = `
import os
file = os.open('/srv/written', os.O_CREAT | os.O_RDWR)
os.posix_fallocate(file, 0, 1 << 20)
print(os.fstat(file).st_blocks)`
const bomb = `
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.2)`

/** The socket families that the seccomp filter lets through to the kernel. */
const families = `
import errno, socket
asked = []
for family in range(46):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        asked.append(family)
    except OSError as error:
        if error.errno != errno.EPERM:
            asked.append(family)
print(asked)`

/** Filters use memory that is limited for the whole machine. */
const filters = `
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
one = socket.socket()
def attempt(level, option, value):
    try:
        one.setsockopt(level, option, value)
        return 'set'
    except PermissionError:
        return 'refused'
code = ctypes.create_string_buffer(bytes([6, 0, 0, 0, 255, 255, 0, 0]))
program = (1).to_bytes(8, 'little') + ctypes.addressof(code).to_bytes(8, 'little')
mode = 'refused' if libc.prctl(22, 2, program, 0, 0) == -1 and ctypes.get_errno() == 1 else 'set'
print(mode, attempt(1, 26, program), attempt(1, 2, 1), attempt(6, 1, 1), attempt(1, 8, 65536))`

/** Attaches to every new process with ptrace and never detaches. */
const hold = `
import ctypes, os, time
libc = ctypes.CDLL(None)
known, until = set(os.listdir('/proc')), time.monotonic() + 60
print('begun', flush=True)
while time.monotonic() < until:
    for name in set(os.listdir('/proc')) - known:
        if name.isdigit() and libc.ptrace(0x4206, int(name), None, None) == 0:
            known.add(name)`

export const limitsCases = (engine: Engine) => {
  it('can be changed while a service runs, and survive a restart', async () => {
    const [id, target] = [createId(), (sandbox: string) => ({ sandbox, service: 'one' })]
    await engine.create({ id, deadline: inMinutes(5), topology: { services: [bareService('one')], readyTimeoutSeconds: 10 } })
    const state = async () => (await engine.describe(id))?.services[0]
    try {
      expect(await state()).toMatchObject({ memoryBytes: 64 * 1024 ** 2, cpus: 1, pids: 64, oomKilled: false, startedAt: expect.any(Date) })
      await engine.limit(target(id), { memoryBytes: 16 * 1024 ** 2, pids: 20 })
      await engine.restart(target(id))
      expect(await state()).toMatchObject({ running: true, memoryBytes: 16 * 1024 ** 2, cpus: 1, pids: 20 })
      expect((await engine.execDirect(target(id), python(allocate))).exitCode).not.toBe(0)
      await expect(engine.limit({ sandbox: id, service: 'clients' }, { pids: 20 })).rejects.toMatchObject({ code: 'not_found' })
    } finally {
      await engine.destroy(id)
    }
  })

  it('give a sandbox that is prioritized a larger share of the processors, and leave everything else as it is', async () => {
    const id = createId()
    const services = [bareService('one'), bareService('two')]
    await engine.create({ id, deadline: inMinutes(5), topology: { services, readyTimeoutSeconds: 10 } })
    const shares = async () => {
      const seen = services.map(async ({ name }) => outputOf(await engine.execDirect({ sandbox: id, service: name }, script(readShare))))
      return (await Promise.all([inProbe(engine, id, readShare), ...seen])).map(Number)
    }
    try {
      const [usual, limits] = [await shares(), await engine.describe(id)]
      expect(new Set(usual).size).toBe(1)
      await engine.prioritize(id, true)
      await engine.restart({ sandbox: id, service: 'one' })
      const prioritized = await shares()
      expect(new Set(prioritized).size).toBe(1)
      expect(prioritized[0]).toBeGreaterThan(4 * (usual[0] ?? 0))
      expect((await engine.execDirect({ sandbox: id, service: 'two' }, python(allocate))).exitCode).not.toBe(0)
      await engine.prioritize(id, false)
      expect(await shares()).toEqual(usual)
      const sizes = (state: typeof limits) => state?.services.map(({ memoryBytes, cpus, pids }) => ({ memoryBytes, cpus, pids }))
      expect(sizes(await engine.describe(id))).toEqual(sizes(limits))
    } finally {
      await engine.destroy(id)
    }
    await engine.prioritize(id, true) // nothing is left to be prioritized
  })

  describe('of root', () => {
    const { at, run, read, stateOf } = useSandbox(engine, [
      bareService('plain'),
      bareService('admin', { capabilities: ['NET_ADMIN'] }),
      bareService('raw', { capabilities: ['NET_RAW'] }),
      bareService('tracer', { capabilities: ['SYS_PTRACE'] }),
    ])

    it('the usual work of an administrator is allowed', async () => {
      const work = [
        'echo x > /srv/x && chown 33:33 /srv/x && chmod 600 /srv/x && cat /srv/x',
        'setpriv --reuid=33 --regid=33 --clear-groups id -u',
        'setpriv --reuid=33 --clear-groups sleep 5 & sleep 0.2; kill $!',
        'timeout 30 python3 -c "import socket; socket.create_server((\'\', 80))"',
      ]
      for (const each of work) expect(await run('plain', each), each).toMatchObject({ exitCode: 0 })
    })

    it.each([
      ['a device node', 'mknod /srv/device c 1 3'],
      ['a mount', 'mount -t tmpfs none /mnt'],
      ['a route', 'ip route add 198.51.100.0/24 dev eth0'],
      ['an address', 'ip addr add 198.51.100.1/24 dev eth0'],
      ['a kernel setting', 'echo 1 > /proc/sys/vm/overcommit_memory'],
      ['another root', 'chroot / true'],
      ['the clock', 'date -s 2001-01-01'],
      ['the host name', 'echo other > /proc/sys/kernel/hostname'],
      ['a namespace', 'unshare --net true'],
      ['the kernel log', 'dmesg --clear'],
    ])('%s is refused', async (_, command) => {
      const result = await run('plain', command)
      expect(result.exitCode).not.toBe(0)
      expect(result.stderr.toString()).toMatch(/not permitted|denied|Read-only/i)
    })

    it('a raw socket is refused, unless it was granted', async () => {
      expect((await engine.exec(at('plain'), python(rawSocket))).stderr.toString()).toContain('Operation not permitted')
      expect((await engine.exec(at('admin'), python(rawSocket))).stderr.toString()).toContain('Operation not permitted')
      expect(outputOf(await engine.exec(at('raw'), python(rawSocket)))).toBe('got it\n')
    })

    it('sockets are of a few families, whatever the kernel has', async () => {
      expect(outputOf(await engine.exec(at('plain'), python(families)))).toBe('[1, 2, 10, 16]\n')
    })

    it('seccomp and socket filters are refused, and other socket options work', async () => {
      expect(outputOf(await engine.exec(at('plain'), python(filters)))).toBe('refused refused set set set\n')
    })

    it('a command that is held by a tracer ends for its caller', async () => {
      // The tracer holds every process that is forked after it has started, so the shell that waits for it must not fork.
      await read('tracer', 'cat > /tmp/hold.py; mkfifo /tmp/word; python3 /tmp/hold.py > /tmp/word 2>&1 & read begun < /tmp/word', {
        stdin: hold,
      })
      const results = await Promise.all([1, 2].map(() => engine.execDirect(at('tracer'), script('sleep 0.3', { timeoutMs: 6_000 }))))
      expect(results).toContainEqual(expect.objectContaining({ exitCode: null, timedOut: true }))
    })

    it('routes can be changed where NET_ADMIN was granted, and there only', async () => {
      expect(await read('admin', 'ip route add 198.51.100.0/24 dev eth0 && ip route show 198.51.100.0/24')).toContain('198.51.100.0/24')
      expect((await run('raw', 'ip route add 198.51.100.0/24 dev eth0')).exitCode).not.toBe(0)
    })

    it('a program cannot gain what root does not have', async () => {
      const held = async (service: string) =>
        (await read(service, 'grep -E "Cap(Prm|Bnd|Amb)|NoNewPrivs" /proc/self/status')).trim().split('\n')
      const [permitted, bounding, ambient, gains] = (await held('plain')).map((line) => line.split('\t')[1])
      expect(permitted).toBe(bounding)
      expect(ambient).toMatch(/^0+$/)
      expect(gains).toBe('1')
    })

    it('disk is taken by writing only, never by asking for it', async () => {
      expect((await run('plain', 'fallocate -l 1M /srv/asked')).stderr.toString()).toContain('not supported')
      expect(await read('plain', 'stat -c %b /srv/asked')).toBe('0\n')
      expect(outputOf(await engine.exec(at('plain'), python(reserve)))).toBe('refused refused refused 0\n')
      expect(outputOf(await engine.exec(at('plain'), python(fallBack)))).toBe('2048\n')
    })

    it('memory beyond the limit ends the process that takes it, and only that', async () => {
      const result = await engine.exec(at('plain'), python(allocate))
      expect(result).toMatchObject({ exitCode: 137, timedOut: false })
      expect(result.stdout.toString()).toBe('')
      expect(await stateOf('plain')).toMatchObject({ running: true })
      expect(await read('plain', 'echo fine')).toBe('fine\n')
      expect(await read('raw', 'echo fine')).toBe('fine\n')
    })
  })

  describe('of processes', () => {
    it('hold a fork bomb, beside which others live, and a sandbox with one can be destroyed', async () => {
      const id = createId()
      const bombed = { sandbox: id, service: 'bombed' }
      const other = { sandbox: id, service: 'other' }
      const services = [bareService('bombed', { pids: 24, cpus: 0.3 }), bareService('other')]
      await engine.create({ id, deadline: inMinutes(10), topology: { services, readyTimeoutSeconds: 10 } })
      try {
        const start = 'cat > /srv/bomb.py; setsid python3 /srv/bomb.py > /dev/null 2>&1 < /dev/null &'
        await engine.exec(bombed, script(start, { stdin: bomb }))
        const count = async () => (await inspectProcesses(engine, bombed)).filter((line) => line === 'python3 /srv/bomb.py').length
        await expect.poll(count, { interval: 200 }).toBeGreaterThan(15)
        expect(await count()).toBeLessThanOrEqual(24)
        expect(outputOf(await engine.exec(other, script('echo fine')))).toBe('fine\n')
        expect(await inProbe(engine, id, 'echo fine')).toBe('fine\n')
        await engine.restart(bombed)
        expect(await count()).toBe(0)
        await engine.exec(bombed, script(start, { stdin: bomb }))
        await expect.poll(count, { interval: 200 }).toBeGreaterThan(15)
      } finally {
        await engine.destroy(id)
      }
      expect(await engine.describe(id)).toBeNull()
    })
  })
}
