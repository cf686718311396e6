// The docker command of a workstation: the real client on real containers. Everything that users may do works as in Docker; what they
// may not do is in view.abuse.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { View } from '../src/engine/engine.ts'
import { bareService, outputOf, script, useSandbox } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const { engine, cleanUp } = createTestEngine()
beforeAll(() => engine.ensureImages(['ops-docker'], () => undefined))
afterAll(cleanUp)

const greeting = 'echo listening; echo complaining >&2; trap "echo reloaded" HUP; trap "exit 0" TERM; while :; do sleep 0.2; done'
const { id, at, run, read, stateOf } = useSandbox(engine, [
  bareService('ops', { image: 'ops-docker', memoryBytes: 512 * 1024 ** 2, pids: 512 }),
  bareService('web', { command: ['sh', '-c', greeting], environment: { PLACE: 'harbour' } }),
  bareService('api', { storage: [{ path: '/data', bytes: 1024 ** 2 }] }),
])

let graded: Promise<void> = Promise.resolve()
let view: View
beforeAll(async () => {
  view = await engine.openView(at('ops'), { beforeChange: () => graded })
})
afterAll(() => view.close())

const docker = (args: string, extra = {}) => read('ops', `docker ${args}`, extra)
const inspect = async (service: string, path: string) => (await docker(`inspect -f '{{${path}}}' ${service}`)).trim()

/** Waits until a running command has printed this text. */
const until = (args: string, word: string) =>
  read('ops', `f=$(mktemp); docker ${args} > $f 2>&1 & until grep -q '${word}' $f; do sleep 0.1; done; kill $!; cat $f`, {
    timeoutMs: 30_000,
  })

describe('looking', () => {
  it('the socket belongs to root, and only the relay creates it again', async () => {
    expect(await read('ops', 'stat -c "%a %U %F" /var/run/docker.sock')).toBe('660 root socket\n')
  })

  it('ps shows the services of the sandbox by their own names, and nothing of ours', async () => {
    expect((await docker('ps --format "{{.Names}} {{.Image}}"')).trim().split('\n').sort()).toEqual([
      'api probe',
      'ops ops-docker',
      'web probe',
    ])
    expect(await docker('ps -a --filter name=we --format "{{.Names}}"')).toBe('web\n')
    expect(await docker('ps -q --no-trunc')).toMatch(/^([0-9a-f]{64}\n){3}$/)
  })

  it('version and info answer, and know nothing of the host', async () => {
    expect(await docker('version -f "{{.Server.APIVersion}}"')).toBe('1.41\n')
    expect(await docker('info -f "{{.Name}} {{.Containers}} {{.NCPU}} {{.DockerRootDir}}"')).toBe('sandbox 3 0 \n')
    await docker('info')
  })

  it('inspect shows what a repair needs', async () => {
    expect(await inspect('web', '.State.Status')).toBe('running')
    expect(await inspect('web', '.HostConfig.Memory')).toBe(String(64 * 1024 ** 2))
    expect(await inspect('web', '.Config.Image')).toBe('probe')
    expect(await inspect('web', 'json .Config.Env')).toContain('PLACE=harbour')
    expect(await inspect('web', '.NetworkSettings.Networks.sandbox.IPAddress')).toBe((await stateOf('web'))?.addresses[0])
    expect(await inspect('api', '(index .Mounts 0).Destination')).toBe('/data')
  })

  it('a container may be named by its id, and by the beginning of it', async () => {
    const number = await inspect('web', '.Id')
    expect(number).toMatch(/^[0-9a-f]{64}$/)
    expect(await inspect(number, '.Name')).toBe('/web')
    expect(await inspect(number.slice(0, 12), '.Name')).toBe('/web')
  })

  it('logs are told apart by stream, by number and by time, and followed', async () => {
    const result = await run('ops', 'docker logs web')
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['listening\n', 'complaining\n'])
    expect(await docker('logs -t --tail 1 web 2>&1')).toMatch(/^\d{4}-.*(listening|complaining)\n$/)
    expect(await docker('logs --since 1h --until 50m web')).toBe('')
    const following = until('logs -f web', 'reloaded')
    await docker('kill -s HUP web')
    expect(await following).toContain('reloaded')
  })

  it('top shows what runs, stats what it takes', async () => {
    expect(await docker('top web')).toMatch(/UID +PID.*CMD\n[\s\S]*sleep 0\.2/)
    expect(await docker('stats --no-stream --format "{{.Name}} {{.MemUsage}} {{.PIDs}}" web')).toMatch(/^web .+ \/ 64MiB \d+\n$/)
    expect((await docker('stats --no-stream --format "{{.Name}}"')).trim().split('\n').sort()).toEqual(['api', 'ops', 'web'])
  })

  it('events tell what happens to containers, not what is run in them', async () => {
    const telling = until('events --format "{{.Action}} {{.Actor.Attributes.name}}"', '^start api')
    await read('ops', 'sleep 1; docker exec api true')
    await docker('restart -t 0 api')
    const told = await telling
    expect(told).toContain('die api')
    expect(told).not.toContain('exec')
  })
})

describe('changing', () => {
  it('stop, start, restart and kill do what they say, and a stopped service stays stopped', async () => {
    expect(await docker('stop web')).toBe('web\n')
    expect(await stateOf('web')).toMatchObject({ running: false, exitCode: 0, startedAt: null })
    expect(await docker('ps -a --filter status=exited --format "{{.Names}} {{.Status}}"')).toMatch(/^web Exited \(0\)/)
    expect(await docker('stop web')).toBe('web\n')
    expect((await engine.list()).find((sandbox) => sandbox.id === id)).toMatchObject({ intact: true })
    expect(await docker('start web')).toBe('web\n')
    expect(await docker('start web')).toBe('web\n')
    const before = await stateOf('web')
    expect(before).toMatchObject({ running: true })
    await docker('restart -t 3 web')
    const after = await stateOf('web')
    expect(after?.startedAt?.getTime()).toBeGreaterThan(before?.startedAt?.getTime() ?? Number.NaN)
    expect([after?.addresses, after?.imageId]).toEqual([before?.addresses, before?.imageId])
    const waiting = docker('wait web')
    await read('ops', 'sleep 0.5; docker kill web')
    expect(await waiting).toBe('137\n')
    expect(await stateOf('web')).toMatchObject({ running: false, exitCode: 137 })
    await docker('start web')
  })

  it('a stopped service is as stopped to exec as anywhere', async () => {
    await docker('kill api')
    const result = await run('ops', 'docker exec api true')
    expect(result.stderr.toString()).toMatch(/is not running/)
    await docker('start api')
    expect(await docker('exec api hostname')).toBe('api\n')
  })

  it('update sets limits up to the authored ones, and they are what holds', async () => {
    await engine.limit(at('web'), { memoryBytes: 16 * 1024 ** 2, cpus: 0.1, pids: 20 })
    expect(await stateOf('web')).toMatchObject({ memoryBytes: 16 * 1024 ** 2, cpus: 0.1, pids: 20 })
    await docker('update --memory 32m web')
    await docker('update --memory 48m --memory-swap 48m --cpus 0.5 --pids-limit 40 web')
    expect(await stateOf('web')).toMatchObject({ memoryBytes: 48 * 1024 ** 2, cpus: 0.5, pids: 40 })
    await docker('update --cpu-quota 20000 --cpu-period 40000 web')
    expect(await stateOf('web')).toMatchObject({ cpus: 0.5 })
    expect(await inspect('web', '.HostConfig.Memory')).toBe(String(48 * 1024 ** 2))
  })

  it('the machine that one works on is not stopped from there', async () => {
    for (const verb of ['stop', 'restart', 'kill']) {
      const result = await run('ops', `docker ${verb} ops`)
      expect([result.exitCode, result.stderr.toString()]).toEqual([1, expect.stringContaining('you are working on this container')])
    }
  })

  it('waits while the sandbox is being graded; looking does not', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    graded = promise
    let isDone = false
    const change = docker('exec api touch /tmp/graded').then(() => {
      isDone = true
    })
    expect(await docker('ps -q')).not.toBe('')
    await read('ops', 'sleep 0.5')
    expect(isDone).toBe(false)
    resolve()
    await change
    expect(await read('api', 'ls /tmp/graded')).toBe('/tmp/graded\n')
  })
})

describe('exec', () => {
  it('keeps streams apart and tells the exit code', async () => {
    const result = await run('ops', 'docker exec web sh -c "echo out; echo err >&2; exit 7"')
    expect([result.stdout.toString(), result.stderr.toString(), result.exitCode]).toEqual(['out\n', 'err\n', 7])
  })

  it('delivers standard input, bytes and end, in both directions', async () => {
    expect(await docker('exec -i web cat', { stdin: 'fine' })).toBe('fine')
    const sent = await read('ops', 'head -c 3000000 /dev/urandom > /tmp/data; sha256sum < /tmp/data')
    expect(await read('ops', 'docker exec -i web cat < /tmp/data | sha256sum')).toBe(sent)
    expect(await read('ops', 'docker exec -i web sha256sum < /tmp/data')).toBe(sent)
  })

  it('takes user, folder and environment', async () => {
    expect(await docker('exec -u nobody -w /tmp -e WORD=x web sh -c \'echo "$(id -un) $PWD $WORD $PLACE"\'')).toBe(
      'nobody /tmp x harbour\n',
    )
  })

  it('runs in the background', async () => {
    await docker('exec -d web sh -c "sleep 0.1; touch /tmp/behind"')
    await expect.poll(() => docker('exec web ls /tmp')).toContain('behind')
  })

  it('gives a terminal of the right size, and ends with its shell', async () => {
    const terminal = await engine.terminal(at('ops'), { argv: ['docker', 'exec', '-it', 'web', 'bash'], columns: 97, rows: 31 })
    let printed = ''
    terminal.stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    const ended = new Promise((resolve) => terminal.stream.once('end', resolve))
    await expect.poll(() => printed).toMatch(/[#$] $/)
    terminal.stream.write('tty; stty size\n')
    await expect.poll(() => printed).toMatch(/\/dev\/pts\/\d+\s+31 97/)
    await terminal.resize(64, 20)
    terminal.stream.write('sleep 1; stty size; exit\n')
    await ended
    expect(printed).toMatch(/20 64/)
  })

  it('of what cannot be run says so', async () => {
    const result = await run('ops', 'docker exec web no-such-program')
    expect([126, 127]).toContain(result.exitCode)
    expect(await run('ops', 'docker exec -u nosuch web true')).toMatchObject({ exitCode: expect.any(Number) })
  })

  it('many at once are served', async () => {
    const all = 'for n in $(seq 24); do docker exec api echo $n & done; wait'
    expect((await read('ops', all, { timeoutMs: 60_000 })).trim().split('\n').length).toBe(24)
  })

  it('that was abandoned by its client frees its slot', async () => {
    const abandon = 'for n in $(seq 20); do timeout -s KILL 0.5 docker exec api sleep 30 & done; wait; docker ps -q'
    expect(
      outputOf(await engine.execDirect(at('ops'), script(abandon, { timeoutMs: 60_000 })))
        .trim()
        .split('\n').length,
    ).toBe(3)
  })
})
