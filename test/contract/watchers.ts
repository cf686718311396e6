import { describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'
import { bareService, inMinutes, inProbe, inspect, inspectProcesses, script, tryInProbe, useSandbox } from './fixture.ts'

const listen = `
import socket
server = socket.create_server(('', 9099))
socket.create_connection(('127.0.0.1', 9099)).close()
server.accept()
server.settimeout(1)
try:
    print('reached by', server.accept()[1])
except TimeoutError:
    print('not reached')`

/** Tries until it is told to stop; the first line says that it has started. */
const knock = (hosts: string) =>
  `rm -f /tmp/stop; while ! [ -e /tmp/stop ]; do for host in ${hosts}; do curl -s --max-time 0.2 "telnet://$host:9099" < /dev/null && echo open; done; sleep 0.05; done`

export const watcherCases = (engine: Engine) => {
  const { id, at, read, run, stateOf } = useSandbox(engine, [
    bareService('one', {
      storage: [{ path: '/data', bytes: 1024 ** 2 }],
      files: [{ path: '/srv/note', content: Buffer.from('a note\n'), executable: false }],
    }),
    bareService('web', { command: ['python3', '-m', 'http.server', '80'], ready: { tcp: { host: 'web', port: 80 } } }),
  ])

  describe('the probe', () => {
    it('runs on the network of the sandbox', async () => {
      expect(await inProbe(engine, id, 'curl -s -o /dev/null -w "%{http_code}" http://web/')).toBe('200')
      expect(await inProbe(engine, id, 'getent hosts one')).toContain((await stateOf('one'))?.addresses[0])
    })

    it('shares neither files nor processes with a service', async () => {
      await read('one', 'touch /tmp/mine')
      expect(await tryInProbe(engine, id, 'test -e /tmp/mine')).toMatchObject({ succeeded: false })
      expect(await inProbe(engine, id, 'ps -eo args=')).not.toContain('http.server')
    })

    it('cannot be entered', async () => {
      const name = (await inProbe(engine, id, 'hostname')).trim()
      for (const service of [name, 'probe']) {
        await expect(engine.exec(at(service), script('true'))).rejects.toMatchObject({ code: 'not_found' })
        await expect(engine.openInspector(at(service), ['true'])).rejects.toMatchObject({ code: 'not_found' })
        await expect(engine.restart(at(service))).rejects.toMatchObject({ code: 'not_found' })
        const terminal = engine.terminal(at(service), { argv: ['sh'], columns: 80, rows: 24 })
        await expect(terminal).rejects.toMatchObject({ code: 'not_found' })
      }
      expect((await engine.describe(id))?.services.map((service) => service.name).sort()).toEqual(['one', 'web'])
    })

    it('has a name that no service can take', async () => {
      const name = (await inProbe(engine, id, 'hostname')).trim()
      const topology = { services: [bareService(name)], readyTimeoutSeconds: 10 }
      const refused = createId()
      await expect(engine.create({ id: refused, deadline: inMinutes(10), topology })).rejects.toMatchObject({
        code: 'sandbox_start_failed',
      })
      expect(await engine.describe(refused)).toBeNull()
    })
  })

  describe('an inspector', () => {
    it("sees the service's processes, files and storage", async () => {
      await read(
        'one',
        'setsid sleep 88100 > /dev/null 2>&1 < /dev/null & echo stored > /data/kept; mkdir -m 700 /srv/closed; echo x > /srv/closed/y',
      )
      expect(await inspectProcesses(engine, at('one'))).toContain('sleep 88100')
      const look = ['sh', '-c', 'cd /proc/$0/root; cat srv/note data/kept srv/closed/y']
      expect(await inspect(engine, at('one'), look)).toBe('a note\nstored\nx\n')
    })

    it('leaves nothing in the service, and cannot be seen in its description', async () => {
      await inspect(engine, at('one'), ['sh', '-c', 'echo from outside > /tmp/inspected; true'])
      expect((await run('one', 'test -e /tmp/inspected')).exitCode).toBe(1)
      expect((await engine.describe(id))?.services).toHaveLength(2)
    })

    it('is not reached over the network, and reaches nothing', async () => {
      const [address] = (await stateOf('one'))?.addresses ?? []
      const knocking = [read('one', knock(`127.0.0.1 ${address}`)), inProbe(engine, id, knock(`one ${address}`))]
      const seen = await inspect(engine, at('one'), ['python3', '-c', listen])
      await Promise.all([read('one', 'touch /tmp/stop'), inProbe(engine, id, 'touch /tmp/stop')])
      expect(seen).toBe('not reached\n')
      expect(await Promise.all(knocking)).toEqual(['', ''])
      const web = (await stateOf('web'))?.addresses[0]
      expect(await inspect(engine, at('one'), ['sh', '-c', `curl -s --max-time 2 http://${web}/ || echo refused`])).toBe('refused\n')
    })

    it('that goes on reading is told where to look, and is out of sight of those it looks at', async () => {
      const look = 'while read -r name; do cat "/proc/$0/root/$name"; done'
      const channel = await engine.openInspector(at('one'), ['sh', '-c', look])
      const answer = new Promise((resolve) => channel.stream.once('data', resolve))
      channel.stream.write('srv/note\n')
      expect(String(await answer)).toBe('a note\n')
      expect(await read('one', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toContain('while read')
      await channel.close()
      expect((await engine.describe(id))?.services).toHaveLength(2)
    })

    it('trusts no program of the service', async () => {
      const lie = '#!/bin/true\n'
      await read(
        'one',
        `cp /bin/rm /srv/rm; for name in cat ls ps readlink python3 sleep; do printf "${lie}" > /srv/lie; chmod 755 /srv/lie; mv /srv/lie "$(command -v $name)"; done`,
      )
      await run('one', 'echo /no/such/library.so > /etc/ld.so.preload; /srv/rm -f /bin/bash; ln -sf /bin/true /bin/sh')
      expect((await engine.exec(at('one'), script('echo honest'))).stdout.toString()).not.toContain('honest')
      expect(await inspectProcesses(engine, at('one'))).toContain('sleep 88100')
      const look = ['sh', '-c', 'cat /proc/$0/root/srv/note /proc/$0/root/data/kept; ls /proc/$0/root/srv']
      expect(await inspect(engine, at('one'), look)).toMatch(/^a note\nstored\n[\s\S]*closed\n/)
    })
  })
}
