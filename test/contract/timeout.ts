import { expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { nap, python, type Sandbox, script } from './fixture.ts'

const ignoring = `
import os, signal, sys, time
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
os.fork()
time.sleep(600)`

export const timeoutCases = (engine: Engine, { at, run, read, processesOf }: Sandbox) => {
  const late = { exitCode: null, timedOut: true }

  it('keeps what it wrote until then', async () => {
    const result = await run('one', `echo begun; echo trouble >&2; ${nap()}`, { timeoutMs: 2_000 })
    expect(result).toMatchObject(late)
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['begun\n', 'trouble\n'])
  })

  it('is killed with its whole process group', async () => {
    const naps = [nap(), nap(), nap(), nap()]
    const [first, second, third, fourth] = naps
    const result = await run('one', `${first} & (${second}; true) & env -i ${third}; ${fourth}`, { timeoutMs: 600 })
    expect(result).toMatchObject(late)
    const left = await processesOf('one')
    expect(naps.filter((each) => left.includes(each))).toEqual([])
    expect(left.filter((each) => each.includes(third as string))).toEqual([])
  })

  it('is killed without a parent in between, and stopped or not', async () => {
    const [first, second] = [nap(), nap()]
    expect(await engine.exec(at('one'), script('', { argv: ['env', '-i', ...first.split(' ')], timeoutMs: 300 }))).toMatchObject(late)
    expect(await run('one', `kill -STOP $$; ${second}`, { timeoutMs: 300 })).toMatchObject(late)
    expect((await processesOf('one')).filter((each) => each.includes(first) || each.includes(second))).toEqual([])
  })

  it('is killed though it ignores every signal that can be ignored', async () => {
    expect(await engine.exec(at('one'), python(ignoring, { timeoutMs: 600 }))).toMatchObject(late)
    expect((await processesOf('one')).filter((each) => each.includes('SIG_IGN'))).toEqual([])
  })

  it('is killed though its time ran out before it had begun', async () => {
    const naps = Array.from({ length: 5 }, nap)
    const results = await Promise.all(naps.map((each) => run('one', each, { timeoutMs: 1 })))
    for (const result of results) expect(result).toMatchObject(late)
    const left = await processesOf('one')
    expect(naps.filter((each) => left.some((line) => line.includes(each)))).toEqual([])
  })

  it('is over at once for a command that is cancelled, before or after it has begun', async () => {
    const [first, second, third] = [nap(), nap(), nap()]
    const cancelling = new AbortController()
    const { signal } = cancelling
    const [quick, direct] = [
      run('one', `echo begun; ${first} & ${first}`, { timeoutMs: 600_000, signal }),
      engine.execDirect(at('one'), script(`echo begun; ${second}`, { timeoutMs: 600_000, signal })),
    ]
    await expect.poll(() => processesOf('one')).toEqual(expect.arrayContaining([first, second]))
    cancelling.abort()
    for (const result of await Promise.all([quick, direct])) {
      expect(result).toMatchObject(late)
      expect(result.stdout.toString()).toBe('begun\n')
    }
    expect(await run('one', third, { timeoutMs: 600_000, signal })).toMatchObject(late)
    expect((await processesOf('one')).filter((each) => [first, second, third].includes(each))).toEqual([])
  })

  it('leaves everything else of the service alone', async () => {
    const [daemon, background, other, late1] = [nap(), nap(), nap(), nap()]
    await read('one', `setsid ${daemon} > /dev/null 2>&1 < /dev/null & ${background} > /dev/null 2>&1 & true`)
    const running = run('one', `echo begun; ${other} & pid=$!; cat > /dev/null; wait $pid; echo over`, { timeoutMs: 60_000 })
    await expect.poll(() => processesOf('one')).toContain(other)
    expect(await run('one', late1, { timeoutMs: 300 })).toMatchObject(late)
    expect(await processesOf('one')).toEqual(expect.arrayContaining(['sleep infinity', daemon, background, other]))
    await read('one', `pkill -f "^${other}$"`)
    const result = await running
    expect(result).toMatchObject({ exitCode: 0, timedOut: false })
    expect(result.stdout.toString()).toBe('begun\nover\n')
  })

  it('does not delay or end commands beside it', async () => {
    const quick = Array.from({ length: 5 }, (_, index) => run('one', `sleep 0.5; echo ${index}`))
    const slow = Array.from({ length: 3 }, () => run('one', nap(), { timeoutMs: 200 }))
    expect((await Promise.all(slow)).every(({ timedOut }) => timedOut)).toBe(true)
    expect((await Promise.all(quick)).map(({ stdout }) => stdout.toString())).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n'])
  })

  it('holds for a command that floods its output', async () => {
    const result = await run('one', 'yes', { timeoutMs: 1_000, outputBytes: 1_000 })
    expect(result).toMatchObject(late)
    expect(result.stdout.length).toBe(1_000)
    expect(result.stdoutBytes).toBeGreaterThan(1_000)
    expect(await processesOf('one')).not.toContain('yes')
  })
}
