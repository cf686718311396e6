// Users may kill, stop or replace the runner that executes commands in their containers. Their commands still work, none runs twice,
// and execDirect, which grading uses, is not affected.

import { afterAll, describe, expect, it } from 'vitest'
import { bareService, inspectProcesses, nap, outputOf, script, useSandbox } from './contract/fixture.ts'
import { createTestEngine } from './support/engine.ts'

const { engine, cleanUp } = createTestEngine()
afterAll(cleanUp)

const liars: [string, string][] = [
  ['babbles', '#!/bin/sh\nexec yes'],
  ['says nothing', '#!/bin/sh\nexec sleep 86000'],
  ['ends at once', '#!/bin/sh\nexit 0'],
  ['promises too much', `#!/usr/bin/python3\nimport os\nos.write(1, b'H' + bytes(8) + b'O' + b'\\\\xff' * 8)\nos.read(0, 1)`],
]
const forger = `#!/usr/bin/python3
import os, struct
os.write(1, b'H' + bytes(8))
while True:
    frame = os.read(0, 65536)
    if not frame: break
    number = frame[1:5]
    os.write(1, b'S' + number + struct.pack('>II', 4, 1) + b'O' + number + struct.pack('>I', 6) + b'forged')
    os.write(1, b'X' + number + struct.pack('>IBBdd', 18, 0, 0, 1e300, -1))`

const places = ['killed', 'stopped', 'thawed', 'frozen', 'bare', 'forged', ...liars.map((_, index) => `liar-${index}`)]
const { at, run, read, processesOf } = useSandbox(engine, [
  ...places.map((name) => bareService(name)),
  bareService('bombed', { pids: 24, cpus: 0.5 }),
])

const direct = async (service: string, text: string) => outputOf(await engine.execDirect(at(service), script(text)))
/** The pid of the runner, where one runs. */
const runnerOf = async (service: string) => (await read(service, 'echo $PPID')).trim()
const isServed = async (service: string) => (await read(service, 'tr "\\0" " " < /proc/$PPID/cmdline')).startsWith('exec-runner')
const replacePerl = (service: string, content: string) =>
  engine.execDirect(at(service), script('cat > /srv/perl; chmod 755 /srv/perl; mv /srv/perl "$(command -v perl)"', { stdin: content }))

describe('a runner', () => {
  it('serves exec, and has no part in the direct way', async () => {
    expect(await isServed('killed')).toBe(true)
    expect(await direct('killed', 'echo $PPID')).toBe('0\n')
  })

  it('that is killed takes its commands with it: once, with what they had said', async () => {
    const [own, beside] = [nap(), nap()]
    const neighbour = run('killed', `echo beside; ${beside}`, { timeoutMs: 60_000 })
    await expect.poll(() => processesOf('killed')).toContain(beside)
    const result = await run('killed', `echo run >> /srv/runs; echo before; sleep 0.5; kill -KILL $PPID; ${own} & ${own}; echo after`)
    expect([result.exitCode, result.timedOut, result.stdout.toString()]).toEqual([137, false, 'before\n'])
    expect((await neighbour).exitCode).toBe(137)
    expect((await neighbour).stdout.toString()).toBe('beside\n')
    expect(await direct('killed', 'cat /srv/runs')).toBe('run\n')
    const left = await inspectProcesses(engine, at('killed'))
    expect(left.filter((line) => line.includes(own) || line.includes(beside))).toEqual([])
    expect(await isServed('killed')).toBe(true)
  })

  it('that is stopped does not hold a command up, and is replaced', async () => {
    const runner = await runnerOf('stopped')
    await direct('stopped', `kill -STOP ${runner}`)
    const results = await Promise.all([1, 2, 3].map((n) => run('stopped', `echo run ${n} >> /srv/runs; echo fine`)))
    expect(results.map(outputOf)).toEqual(['fine\n', 'fine\n', 'fine\n'])
    expect((await direct('stopped', 'sort /srv/runs')).trim().split('\n')).toEqual(['run 1', 'run 2', 'run 3'])
    await expect.poll(() => isServed('stopped')).toBe(true)
    expect(await runnerOf('stopped')).not.toBe(runner)
    expect((await run('stopped', `test -e /proc/${runner}`)).exitCode).toBe(1)
  })

  it('that wakes up again begins nothing that was given up meanwhile', async () => {
    const runner = await runnerOf('thawed')
    const thaw = engine.execDirect(at('thawed'), script(`kill -STOP ${runner}; touch /srv/stopped; sleep 1.2; kill -CONT ${runner}`))
    await expect.poll(() => direct('thawed', 'ls /srv'), { interval: 20 }).toContain('stopped')
    expect(await read('thawed', 'echo run >> /srv/runs; echo fine')).toBe('fine\n')
    await thaw
    await read('thawed', 'sleep 0.5')
    expect(await direct('thawed', 'cat /srv/runs')).toBe('run\n')
  })

  it('that stops in the middle of a command costs its time, not more, and the command ends', async () => {
    const slept = nap()
    const result = await run('frozen', `echo before; kill -STOP $PPID; ${slept}`, { timeoutMs: 1_000 })
    expect(result).toMatchObject({ exitCode: null, timedOut: true })
    expect(await inspectProcesses(engine, at('frozen'))).not.toContain(slept)
    expect(await read('frozen', 'echo fine')).toBe('fine\n')
  })
})

describe('a perl', () => {
  it('that is not there is not missed', async () => {
    await direct('bare', 'rm "$(command -v perl)"')
    for (let round = 0; round < 3; round += 1) expect(await read('bare', 'cat', { stdin: 'fine' })).toBe('fine')
  })

  it.each(liars.map(([what, content], index) => [what, content, `liar-${index}`] as const))(
    'that %s is left aside',
    async (_, content, service) => {
      expect(await replacePerl(service, content)).toMatchObject({ exitCode: 0 })
      for (let round = 0; round < 3; round += 1) expect(await read(service, `echo ${round} >> /srv/runs; echo fine`)).toBe('fine\n')
      expect(await direct(service, 'cat /srv/runs')).toBe('0\n1\n2\n')
    },
  )

  it('that forges results fools users only', async () => {
    await replacePerl('forged', forger)
    const forged = await run('forged', 'exit 9')
    expect([forged.stdout.toString(), forged.stdoutBytes, forged.stderrBytes, forged.exitCode]).toEqual(['forged', 6, 0, 0])
    expect(await engine.execDirect(at('forged'), script('echo true; exit 9'))).toMatchObject({ exitCode: 9, stdout: Buffer.from('true\n') })
  })
})

it('where no process can be added, exec does what the direct way does', async () => {
  expect(await isServed('bombed')).toBe(true)
  const fill = 'for n in $(seq 30); do sleep 85000 & done'
  await engine.execDirect(at('bombed'), script(`setsid sh -c '${fill}' > /dev/null 2>&1 < /dev/null`))
  await expect.poll(async () => (await inspectProcesses(engine, at('bombed'))).length).toBeGreaterThanOrEqual(20)
  /** The last slot may be free for one side and still in use for the other, because a command ends a moment after its report. */
  const both = async () => {
    const [quick, plain] = [await run('bombed', 'echo fine'), await engine.execDirect(at('bombed'), script('echo fine'))]
    expect(quick.timedOut).toBe(false)
    return [quick, plain].map(({ exitCode, stdout }) => `${exitCode} ${stdout}`)
  }
  await expect.poll(async () => new Set(await both()).size).toBe(1)
})
