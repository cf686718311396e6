// Attempts to exceed what a container view allows: each is refused with an error in Docker's format, does not reach the engine, and
// reveals nothing. Users are root beside the relay, so they can break their own view, and nothing else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packFiles } from '../src/engine/docker/archive.ts'
import type { View } from '../src/engine/engine.ts'
import { bareService, outputOf, script, useSandbox } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const { engine, docker: host, installation, cleanUp } = createTestEngine()
beforeAll(() => engine.ensureImages(['ops-docker'], () => undefined))
afterAll(cleanUp)

const big = { memoryBytes: 512 * 1024 ** 2, pids: 512 }
const { id, at, run, read } = useSandbox(engine, [bareService('ops', { image: 'ops-docker', ...big }), bareService('web')])
const other = useSandbox(engine, [bareService('bank', { environment: { SECRET: 'sesame' } })])

const options = { beforeChange: async () => undefined }
let view: View
beforeAll(async () => {
  view = await engine.openView(at('ops'), options)
})
afterAll(() => view.close())

const containersOf = (sandbox: string) => host.listContainers({ all: true, filters: { label: [`incident-lab.sandbox=${sandbox}`] } })
const engineIdOf = async (sandbox: string, name: string) =>
  (await containersOf(sandbox)).find(({ Names }) => Names[0]?.startsWith(`/${name}-`))?.Id ?? 'none'

interface Reply {
  readonly status: number
  readonly body: string
}

/** Sends a request with an unnormalized path. */
const ask = async (method: string, path: string, body?: unknown): Promise<Reply> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const data = body === undefined ? '' : '--data-binary @- -H "Content-Type: application/json"'
  const command = `curl -s -m 15 --path-as-is --unix-socket /var/run/docker.sock -X ${method} ${data} -w '\\n%{http_code}' 'http://d${path}'`
  const answer = await read('ops', command, body === undefined ? {} : { stdin: text })
  const at = answer.lastIndexOf('\n')
  return { status: Number(answer.slice(at + 1)), body: answer.slice(0, at) }
}

/** Sends raw bytes and returns the response. */
const say = (bytes: string) => read('ops', '(cat; sleep 1) | timeout 5 nc -U /var/run/docker.sock || true', { stdin: bytes })

const refusal = (reply: Reply) => {
  expect([403, 404], JSON.stringify(reply)).toContain(reply.status)
  expect(Object.keys(JSON.parse(reply.body))).toEqual(['message'])
}

describe('what a view does not show', () => {
  const words = async () => [
    ...[
      id,
      other.id,
      installation,
      'incident-lab',
      '/var/lib/docker',
      'overlay',
      'sha256:',
      'clients',
      'sesame',
      'bank',
      'seccomp',
      'lab/',
    ],
    ...(await host.listContainers({ all: true })).map(({ Id }) => Id.slice(0, 12)),
    ...(await host.listNetworks()).map(({ Id }) => Id.slice(0, 12)),
  ]

  it.each([
    '/info',
    '/version',
    '/containers/json?all=1&size=1',
    '/containers/web/json?size=1',
    '/containers/ops/json',
    '/containers/web/stats?stream=0',
    '/containers/web/logs?stdout=1&stderr=1&details=1',
  ])('is not in %s', async (path) => {
    const { status, body } = await ask('GET', path)
    expect(status).toBe(200)
    for (const word of await words()) expect(body).not.toContain(word)
  })

  it.each(['id', 'name', 'short id', 'service'] as const)('are the containers of others, by their %s', async (way) => {
    const engineId = await engineIdOf(other.id, 'bank')
    const reference = { id: engineId, 'short id': engineId.slice(0, 12), name: `bank-${other.id}`, service: 'bank' }[way]
    for (const path of ['json', 'logs?stdout=1', 'top', 'stats?stream=0']) refusal(await ask('GET', `/containers/${reference}/${path}`))
    for (const path of ['start', 'stop', 'restart', 'kill', 'wait', 'update', 'exec'])
      refusal(await ask('POST', `/containers/${reference}/${path}`, path === 'exec' ? { Cmd: ['id'] } : {}))
    expect((await other.stateOf('bank'))?.running).toBe(true)
  })

  it.each(['id', 'name', 'service'] as const)('is the probe of its own sandbox, by its %s', async (way) => {
    const reference = { id: await engineIdOf(id, 'clients'), name: `clients-${id}`, service: 'clients' }[way]
    refusal(await ask('GET', `/containers/${reference}/json`))
    refusal(await ask('POST', `/containers/${reference}/exec`, { Cmd: ['id'] }))
    refusal(await ask('POST', `/containers/${reference}/kill`))
  })

  it("are the engine's own ids of what it shows", async () => {
    refusal(await ask('GET', `/containers/${await engineIdOf(id, 'web')}/json`))
  })

  it('are commands of another view', async () => {
    const exec = await host.getContainer(await engineIdOf(id, 'web')).exec({ Cmd: ['true'] })
    refusal(await ask('GET', `/exec/${exec.id}/json`))
    refusal(await ask('POST', `/exec/${exec.id}/start`, { Detach: true }))
  })
})

describe('what a view does not do', () => {
  const create = { Image: 'lab/probe', Cmd: ['id'] }

  it.each<[string, string, string, unknown?]>([
    ['create', 'POST', '/containers/create?name=x', create],
    ['create with binds', 'POST', '/containers/create', { ...create, HostConfig: { Binds: ['/:/host'] } }],
    ['create with devices', 'POST', '/containers/create', { ...create, HostConfig: { Devices: [{ PathOnHost: '/dev/sda' }] } }],
    ['create privileged', 'POST', '/containers/create', { ...create, HostConfig: { Privileged: true } }],
    ['create with capabilities', 'POST', '/containers/create', { ...create, HostConfig: { CapAdd: ['SYS_ADMIN'] } }],
    ['create in namespaces of the host', 'POST', '/containers/create', { ...create, HostConfig: { PidMode: 'host', NetworkMode: 'host' } }],
    ['start with binds', 'POST', '/containers/create/start', { Binds: ['/:/host'] }],
    ['remove', 'DELETE', '/containers/web?force=1'],
    ['rename', 'POST', '/containers/web/rename?name=x'],
    ['pause', 'POST', '/containers/web/pause'],
    ['attach', 'POST', '/containers/web/attach?stream=1&stdin=1'],
    ['attach by websocket', 'GET', '/containers/web/attach/ws'],
    ['copy out', 'GET', '/containers/web/archive?path=/etc'],
    ['copy in', 'PUT', '/containers/web/archive?path=/etc', 'x'],
    ['export', 'GET', '/containers/web/export'],
    ['list changes', 'GET', '/containers/web/changes'],
    ['prune', 'POST', '/containers/prune'],
    ['checkpoints', 'POST', '/containers/web/checkpoints', {}],
    ['commit', 'POST', '/commit?container=web'],
    ['list images', 'GET', '/images/json'],
    ['inspect an image', 'GET', '/images/probe/json'],
    ['pull', 'POST', '/images/create?fromImage=debian&tag=latest'],
    ['load', 'POST', '/images/load', 'x'],
    ['remove an image', 'DELETE', '/images/probe'],
    ['search', 'GET', '/images/search?term=x'],
    ['build', 'POST', '/build', 'x'],
    ['prune builds', 'POST', '/build/prune'],
    ['list networks', 'GET', '/networks'],
    ['inspect a network', 'GET', '/networks/bridge'],
    ['create a network', 'POST', '/networks/create', { Name: 'x' }],
    ['connect', 'POST', '/networks/bridge/connect', { Container: 'web' }],
    ['list volumes', 'GET', '/volumes'],
    ['create a volume', 'POST', '/volumes/create', { Driver: 'local', DriverOpts: { type: 'none', o: 'bind', device: '/' } }],
    ['prune volumes', 'POST', '/volumes/prune'],
    ['swarm', 'POST', '/swarm/init', { ListenAddr: '0.0.0.0' }],
    ['services', 'GET', '/services'],
    ['secrets', 'GET', '/secrets'],
    ['plugins', 'GET', '/plugins'],
    ['install a plugin', 'POST', '/plugins/pull?remote=x', []],
    ['disk use', 'GET', '/system/df'],
    ['log in', 'POST', '/auth', { username: 'x' }],
    ['sessions', 'POST', '/session'],
    ['debug', 'GET', '/debug/pprof/'],
    ['metrics', 'GET', '/metrics'],
    ['arguments for the ps of the host', 'GET', '/containers/web/top?ps_args=axe'],
    ['events of the past', 'GET', '/events?since=1'],
  ])('%s', async (_, method, path, body) => {
    const before = (await containersOf(id)).length
    refusal(await ask(method, path, body))
    refusal(await ask(method, `/v1.41${path}`, body))
    expect((await containersOf(id)).length).toBe(before)
  })

  it.each([
    'run --rm -v /:/host probe id',
    'run --privileged probe id',
    'rm -f web',
    'cp web:/etc/passwd /tmp/x',
    'cp /etc/passwd web:/tmp/x',
    'export web -o /tmp/x.tar',
    'commit web x',
    'attach web',
    'rename web x',
    'pause web',
    'pull debian',
    'build -t x -f /etc/hostname /etc/apt',
    'images',
    'network ls',
    'volume ls',
    'system df',
    'system prune -f',
    'container prune -f',
    'swarm init',
    'exec --privileged web id',
    'update --restart always web',
    'update --memory 128m web',
    'update --memory 1m web',
    'update --memory-swap -1 web',
    'update --cpus 3 web',
    'update --pids-limit -1 web',
    'update --pids-limit 65 web',
    'update --cpuset-cpus 0 web',
    'update --blkio-weight 500 web',
    'update --kernel-memory 32m web',
    'update --cpu-shares 2000 web',
    'update --cpu-rt-runtime 1000 web',
    'update --cpu-period 1000 web',
  ])('docker %s', async (command) => {
    const limits = async () => (await host.getContainer(await engineIdOf(id, 'web')).inspect()).HostConfig
    const before = await limits()
    const result = await run('ops', `docker ${command} < /dev/null`)
    expect(result.exitCode, result.stdout.toString()).not.toBe(0)
    expect(result.stderr.toString()).toMatch(/sandbox|service|not found|No such|unable to upgrade to tcp, received 403/)
    expect(await limits()).toEqual(before)
  })

  it.each<[string, unknown]>([
    ['privileged', { Cmd: ['id'], Privileged: true }],
    ['privileged, in another case', { Cmd: ['id'], privileged: true }],
    ['of nothing', { Cmd: [] }],
    ['of a text', { Cmd: 'id' }],
    ['with something unknown', { Cmd: ['id'], HostConfig: { Privileged: true } }],
    ['of a list', []],
    ['of no JSON', '{"Cmd":'],
  ])('exec %s', async (_, body) => {
    const { status } = await ask('POST', '/containers/web/exec', body)
    expect([400, 403]).toContain(status)
  })

  it.each<[string, unknown]>([
    ['devices', { Devices: [{ PathOnHost: '/dev/sda' }] }],
    ['an endless memory', { Memory: -1 }],
    ['a memory that is no number', { Memory: '1g' }],
    ['the killer of memory off', { OomKillDisable: true }],
    ['a parent', { CgroupParent: '/' }],
    ['rules of devices', { DeviceCgroupRules: ['a *:* rwm'] }],
    ['ulimits', { Ulimits: [{ Name: 'core', Hard: -1 }] }],
    ['a policy', { RestartPolicy: { Name: 'always' } }],
    ['an endless quota', { CpuQuota: -1 }],
    ['a negative period', { CpuQuota: 1000, CpuPeriod: -1 }],
  ])('update %s', async (_, body) => {
    const { status } = await ask('POST', '/containers/web/update', body)
    expect([400, 403]).toContain(status)
  })
})

describe('tricks', () => {
  it.each([
    '/containers/../info',
    '/containers/web/../../info',
    '/containers/%2e%2e/json',
    '/containers/..%2fimages/json',
    '/containers/web%2fjson',
    '/containers//json',
    '//containers/json',
    '/containers/web//json',
    '/v1.41/v1.41/containers/json',
    '/v1.41//containers/json',
    '/containers/web/json/',
    '/./containers/json',
    '/containers/web/json%00',
    '/containers/web;x/json',
    '/exec/../containers/web/json',
  ])('in a path (%s) lead nowhere', async (path) => {
    refusal(await ask('GET', path))
  })

  it('with the name of another host, or the whole address, change nothing', async () => {
    expect(await say('GET http://elsewhere/images/json HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 404/)
  })

  it('a second request behind the first is not carried out', async () => {
    const two = 'GET /_ping HTTP/1.1\r\nHost: d\r\n\r\nPOST /containers/web/kill HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n'
    expect((await say(two)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect((await engine.describe(id))?.services.map(({ running }) => running)).toEqual([true, true])
  })

  it.each([
    ['two lengths', 'POST /containers/web/exec HTTP/1.1\r\nHost: d\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /containers/web/exec HTTP/1.1\r\nHost: d\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a tunnel', 'CONNECT /containers/json HTTP/1.1\r\nHost: d\r\n\r\n'],
    ['an upgrade of what is no command', 'POST /containers/web/attach HTTP/1.1\r\nHost: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'],
  ])('%s is refused', async (_, bytes) => {
    expect(await say(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })

  it('a head of 100 KiB is not read to its end', async () => {
    // A client that is still writing when the connection is closed may miss the response.
    expect(await say(`GET /_ping HTTP/1.1\r\nHost: d\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)).toMatch(/^(HTTP\/1\.1 431 |$)/)
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })

  it('a body in chunks is read like any other, and not beyond 64 KiB', async () => {
    const chunked = (size: number) =>
      read(
        'ops',
        `head -c ${size} /dev/zero | tr '\\0' ' ' | curl -s -m 10 --unix-socket /var/run/docker.sock -H 'Transfer-Encoding: chunked' -H 'Expect:' -T - -X POST -o /dev/null -w '%{http_code}' http://d/containers/web/exec || true`,
      )
    expect(await chunked(60_000)).toBe('400')
    expect(await chunked(70_000)).toMatch(/^(413|000)/)
    expect((await ask('POST', '/containers/web/exec', { Cmd: ['x'.repeat(70_000)] })).status).toBe(413)
  })

  it('what is newer than the view says so', async () => {
    expect(await ask('GET', '/v1.99/containers/json')).toMatchObject({ status: 400, body: expect.stringContaining('too new') })
  })
})

describe('a user who', () => {
  const direct = async (text: string) => outputOf(await engine.execDirect(at('ops'), script(text, { timeoutMs: 60_000 })))

  it('deletes the socket finds it again a moment later', async () => {
    await direct('rm /var/run/docker.sock')
    await expect.poll(async () => (await run('ops', 'docker ps -q')).exitCode).toBe(0)
  })

  it('puts something else in its place keeps that, until it is removed', async () => {
    await direct(
      'rm /var/run/docker.sock; echo mine > /var/run/docker.sock; sleep 1.5; grep -q mine /var/run/docker.sock; rm /var/run/docker.sock',
    )
    await expect.poll(async () => (await run('ops', 'docker ps -q')).exitCode).toBe(0)
  })

  it('holds every connection blocks only himself, and is served again afterwards', async () => {
    const hold = `perl -MSocket -e 'for (1..60) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); $s->blocking(0) if 0; connect($s, pack_sockaddr_un("/var/run/docker.sock")) && syswrite($s, "GET /containers/web/logs?stdout=1&follow=1 HTTP/1.1\\r\\nHost: d\\r\\n\\r\\n"); push @all, $s; last if @all == 25 } sleep 3'`
    const holding = direct(hold)
    expect(await other.read('bank', 'echo fine')).toBe('fine\n')
    await holding
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })

  it('asks without end is slowed down', async () => {
    const flood = `end=$(( $(date +%s) + 4 )); n=0; while [ $(date +%s) -lt $end ]; do curl -s --unix-socket /var/run/docker.sock -o /dev/null $(for i in $(seq 100); do echo http://d/containers/json; done | sed 's,.*,& -o /dev/null,' ) && n=$((n+100)); done; echo $n`
    expect(Number(await direct(flood))).toBeLessThan(1500)
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })

  it('does not read the response delays no one else', async () => {
    const stall = `perl -MSocket -e 'for (1..5) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un("/var/run/docker.sock")); syswrite($s, ("GET /containers/web/json HTTP/1.1\\r\\nHost: d\\r\\n\\r\\n") x 200); push @all, $s } sleep 3'`
    const stalling = direct(stall)
    expect((await ask('GET', '/_ping')).status).toBe(200)
    await stalling
  })

  it('prints without end through it is slowed down', async () => {
    const text = 'timeout 6 docker exec web cat /dev/zero | wc -c'
    expect(Number(await direct(text))).toBeLessThan(64 * 1024 ** 2)
  })

  it('has processes that call themselves by long names is not shown them', async () => {
    const crowd = `name=$(yes x | tr -d '\\n' | head -c 100000); for i in $(seq 20); do sh -c 'sleep 30 & wait' "$name" & done; sleep 1`
    await read('web', `{ ${crowd}; } > /dev/null 2>&1 < /dev/null`)
    expect(await ask('GET', '/containers/web/top')).toMatchObject({ status: 500, body: expect.stringContaining('too long to be shown') })
    await read('web', 'pkill -f "[s]leep 30"; true')
    await expect.poll(async () => (await ask('GET', '/containers/web/top')).status).toBe(200)
  })

  it('makes a long list of users cannot have the engine read it', async () => {
    await read('web', 'cp /etc/passwd /tmp/passwd; yes x | head -c 400000 > /etc/passwd')
    expect((await run('ops', 'docker restart -t 0 web')).stderr.toString()).toContain('not a regular file of at most')
    await expect(engine.restart(at('web'))).rejects.toMatchObject({ code: 'container_not_running' })
    const content = Buffer.from('root:x:0:0:root:/root:/bin/sh\n')
    const archive = await packFiles([{ path: 'etc/passwd', content, executable: false }])
    await host.getContainer(await engineIdOf(id, 'web')).putArchive(archive, { path: '/' })
    expect((await run('ops', 'docker start web')).exitCode).toBe(0)
  })

  it.each(['/etc/passwd', '/etc/group'])('puts a pipe in the place of %s cannot make the engine wait for it', async (path) => {
    const webs = async () => (await engine.describe(id))?.services.find(({ name }) => name === 'web')
    await read('web', `rm ${path}; mkfifo ${path}`)
    expect((await run('ops', 'docker restart -t 0 web')).stderr.toString()).toContain('not a regular file')
    expect((await run('ops', 'docker start web')).stderr.toString()).toContain('not a regular file')
    await expect(engine.restart(at('web'))).rejects.toMatchObject({ code: 'container_not_running' })
    expect(await webs()).toMatchObject({ running: false })
    const archive = await packFiles([{ path: path.slice(1), content: Buffer.from('root:x:0:0:root:/root:/bin/sh\n'), executable: false }])
    await host.getContainer(await engineIdOf(id, 'web')).putArchive(archive, { path: '/' })
    expect((await run('ops', 'docker start web')).exitCode).toBe(0)
    expect(await webs()).toMatchObject({ running: true })
  })

  it('kills the relay ends the view, which can be opened again', async () => {
    await direct('pkill -KILL -f "[c]ontainer-view"')
    await view.closed
    expect((await run('ops', 'docker ps')).exitCode).not.toBe(0)
    view = await engine.openView(at('ops'), options)
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })

  it('leaves no way to open it gets none, and costs a moment only', async () => {
    await view.close()
    expect((await run('ops', 'test -e /var/run/docker.sock')).exitCode).toBe(1)
    await direct('mkdir /var/run/docker.sock')
    await expect(engine.openView(at('ops'), options)).rejects.toMatchObject({ code: 'command_not_started' })
    await direct('rmdir /var/run/docker.sock; mv /usr/bin/perl /usr/bin/perl.real')
    for (const liar of ['exec yes', 'exit 0', 'printf "H\\0\\0\\0\\0\\0\\0\\0\\0D\\377\\377\\377\\377\\377\\377\\377\\377"; sleep 100']) {
      await direct(`printf '%s\\n' '#!/bin/sh' '${liar}' > /usr/bin/perl; chmod 755 /usr/bin/perl`)
      const opened = await engine.openView(at('ops'), options).catch(() => null)
      await opened?.closed
    }
    await direct('mv -f /usr/bin/perl.real /usr/bin/perl')
    view = await engine.openView(at('ops'), options)
    expect((await ask('GET', '/_ping')).status).toBe(200)
  })
})
