import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { bareService, inProbe, inspect, nap, useSandbox } from './fixture.ts'

const mebibyte = 1024 ** 2

export const restartCases = (engine: Engine) => {
  const { id, at, run, read, stateOf, processesOf } = useSandbox(engine, [
    bareService('store', {
      command: ['sh', '-c', 'echo begun >> /starts; exec sleep 99001'],
      storage: [
        { path: '/data', bytes: mebibyte },
        { path: '/var/spool/small', bytes: mebibyte, inodes: 20 },
      ],
    }),
    bareService('other', { command: ['sleep', '99002'] }),
  ])

  describe('sized storage', () => {
    it('holds what was asked for, and no byte more', async () => {
      const result = await run('store', 'head -c 900000 /dev/zero > /data/fits && head -c 900000 /dev/zero > /data/beyond')
      expect(result.exitCode).not.toBe(0)
      expect(result.stderr.toString()).toContain('No space left on device')
      const sizes = (await read('store', 'stat -c %s /data/fits /data/beyond')).trim().split('\n').map(Number)
      expect(sizes[0]).toBe(900_000)
      expect((sizes[0] as number) + (sizes[1] as number)).toBeLessThanOrEqual(mebibyte)
      expect(await read('store', 'df --output=size -B1 /data | tail -1')).toContain(String(mebibyte))
    })

    it('holds as many files as were asked for', async () => {
      const result = await run('store', 'cd /var/spool/small; for n in $(seq 100); do : > file-$n || exit 9; done')
      expect(result.exitCode).not.toBe(0)
      expect(result.stderr.toString()).toContain('No space left on device')
      const files = Number(await read('store', 'ls /var/spool/small | wc -l'))
      expect(files).toBeGreaterThan(10)
      expect(files).toBeLessThanOrEqual(20)
    })

    it('can be used again after something was removed', async () => {
      await read('store', 'rm /data/beyond /var/spool/small/file-1 && echo again > /data/again && echo again > /var/spool/small/again')
    })

    it('belongs to one service', async () => {
      expect((await run('other', 'test -e /data')).exitCode).toBe(1)
    })
  })

  describe('a restart', () => {
    const [daemon, asked] = [nap(), nap()]

    it('ends every process and runs the main command again', async () => {
      await read('store', `setsid ${daemon} > /dev/null 2>&1 < /dev/null & echo edited > /etc/motd; touch /tmp/here`)
      const running = run('store', asked, { timeoutMs: 60_000 })
      await expect.poll(() => processesOf('store')).toEqual(expect.arrayContaining([daemon, asked]))
      await engine.restart(at('store'))
      const result = await running.catch((error: { code: string }) => error.code)
      expect(result).not.toMatchObject({ exitCode: 0 })
      const processes = await processesOf('store')
      expect(processes).toContain('sleep 99001')
      expect(processes).not.toContain(daemon)
      expect(processes).not.toContain(asked)
      expect(await read('store', 'cat /starts')).toBe('begun\nbegun\n')
    })

    it('keeps files and storage', async () => {
      expect(await read('store', 'cat /etc/motd; ls /tmp/here; cat /data/again /var/spool/small/again; stat -c %s /data/fits')).toBe(
        'edited\n/tmp/here\nagain\nagain\n900000\n',
      )
      expect((await run('store', 'head -c 900000 /dev/zero > /data/beyond')).stderr.toString()).toContain('No space left on device')
      await read('store', 'rm /data/beyond')
    })

    it('keeps address and name', async () => {
      const before = await stateOf('store')
      await engine.restart(at('store'))
      expect(await stateOf('store')).toEqual({ ...before, startedAt: expect.any(Date) })
      expect(await read('other', 'getent hosts store')).toContain(before?.addresses[0])
      expect(await inProbe(engine, id, 'getent hosts store')).toContain(before?.addresses[0])
    })

    it('leaves other services alone', async () => {
      const started = () => read('other', 'stat -c %Y /proc/1; ps -o lstart= -p 1')
      const before = await started()
      await engine.restart(at('store'))
      expect(await started()).toBe(before)
    })

    it('wakes a service whose main command has ended, with its files and storage', async () => {
      const before = await stateOf('store')
      await run('store', 'echo last > /data/last; pkill -f "^sleep 99001$"; sleep 20').catch(() => undefined)
      await expect.poll(() => stateOf('store')).toMatchObject({ running: false })
      await expect(run('store', 'true')).rejects.toMatchObject({ code: 'container_not_running' })
      await expect(engine.openInspector(at('store'), ['true'])).rejects.toMatchObject({ code: 'container_not_running' })
      expect(await stateOf('other')).toMatchObject({ running: true })
      await engine.restart(at('store'))
      expect(await stateOf('store')).toEqual({ ...before, startedAt: expect.any(Date) })
      expect(await read('store', 'cat /etc/motd /data/last /data/again')).toBe('edited\nlast\nagain\n')
      expect(await inspect(engine, at('store'), ['sh', '-c', 'cat /proc/$0/root/data/last'])).toBe('last\n')
    })

    it('starts a service that was killed, whose programs could not say goodbye', async () => {
      await read(
        'store',
        `setsid sh -c 'trap "echo warned >> /data/warned" TERM INT HUP; while :; do sleep 0.1; done' > /dev/null 2>&1 < /dev/null &`,
      )
      await engine.kill(at('store'))
      expect(await stateOf('store')).toMatchObject({ running: false })
      await engine.kill(at('store'))
      expect(await stateOf('store')).toMatchObject({ running: false })
      expect(await stateOf('other')).toMatchObject({ running: true })
      await engine.restart(at('store'))
      expect(await stateOf('store')).toMatchObject({ running: true })
      expect(await read('store', 'cat /data/again; ls /data')).not.toContain('warned')
    })

    it('of several at once is fine, however often', async () => {
      const states = () => Promise.all([stateOf('store'), stateOf('other')])
      const before = await states()
      for (let round = 0; round < 4; round += 1) {
        await Promise.all([engine.restart(at('store')), engine.restart(at('other')), engine.restart(at('store'))])
        expect(await states()).toEqual(before.map((state) => ({ ...state, startedAt: expect.any(Date) })))
      }
      expect(await processesOf('store')).toContain('sleep 99001')
      expect(await processesOf('other')).toContain('sleep 99002')
      expect(await read('other', 'getent hosts store')).toContain(before[0]?.addresses[0])
    })
  })
}
