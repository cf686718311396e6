import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { createId } from '../../src/ids.ts'
import { inspectProcesses, nap, outputOf, python, type Sandbox, script } from './fixture.ts'

const checksum = 'import hashlib, sys; d = sys.stdin.buffer.read(); print(len(d), hashlib.sha256(d).hexdigest())'
const sha256 = async (data: Buffer) => Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(data))).toString('hex')

export const execCases = (engine: Engine, { id, at, run, read }: Sandbox) => {
  it('separates standard output from standard error, and tells the exit code', async () => {
    const result = await run('one', 'echo out; echo err >&2; echo more; exit 7')
    expect(result.stdout.toString()).toBe('out\nmore\n')
    expect(result.stderr.toString()).toBe('err\n')
    expect(result).toMatchObject({ exitCode: 7, timedOut: false, stdoutBytes: 9, stderrBytes: 4 })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('runs as root, in the environment of the service', async () => {
    expect(await read('one', 'id -u; echo $PLACE; hostname')).toBe('0\nharbour\none\n')
  })

  it('passes arguments as they are', async () => {
    const argv = ['printf', '%s|', 'two words', '', '$HOME', '"\'`\\', 'Fähre ⛴', '-n', 'line\nline']
    expect(outputOf(await engine.exec(at('one'), script('', { argv })))).toBe('two words||$HOME|"\'`\\|Fähre ⛴|-n|line\nline|')
  })

  it.each(['no-such-program', '/no/such/program', '/etc/passwd'])('a program that cannot be run (%s) is a result', async (program) => {
    const result = await engine.exec(at('one'), script('', { argv: [program] }))
    expect([126, 127]).toContain(result.exitCode)
    expect(result.timedOut).toBe(false)
  })

  it('a command killed by a signal is a result', async () => {
    expect((await run('one', 'kill -KILL $$')).exitCode).toBe(137)
  })

  it('delivers standard input, bytes and end', async () => {
    const data = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, value) => value)), randomBytes(3_000_000)])
    const result = await engine.exec(at('one'), python(checksum, { stdin: data }))
    expect(outputOf(result)).toBe(`${data.length} ${await sha256(data)}\n`)
  })

  it('gives the same bytes back', async () => {
    const data = randomBytes(200_000)
    const result = await engine.exec(at('one'), script('', { argv: ['cat'], stdin: data }))
    expect(result.stdout.equals(data)).toBe(true)
    expect(outputOf(await engine.exec(at('one'), script('', { argv: ['cat'], stdin: 'Fähre ⛴ 渡し船' })))).toBe('Fähre ⛴ 渡し船')
  })

  it.each([undefined, '', Buffer.alloc(0)])('standard input without content ends at once', async (stdin) => {
    expect(await read('one', 'cat; echo over', { stdin })).toBe('over\n')
  })

  it('a command need not read its standard input', async () => {
    expect(await read('one', 'echo over', { stdin: randomBytes(2_000_000) })).toBe('over\n')
  })

  it('runs in the working directory', async () => {
    expect(await read('one', 'mkdir -p "/srv/two words"; cd "/srv/two words"; pwd')).toBe('/srv/two words\n')
    expect(await read('one', 'pwd', { workingDirectory: '/srv/two words' })).toBe('/srv/two words\n')
  })

  it('a working directory that does not exist is a result, and nothing runs', async () => {
    const result = await run('one', 'touch /tmp/ran', { workingDirectory: '/no/such/folder' })
    expect([126, 127]).toContain(result.exitCode)
    expect((await run('one', 'test -e /tmp/ran')).exitCode).toBe(1)
  })

  it('a working directory is entered by the command itself, never by the runtime and its open folders', async () => {
    const folders = [5, 6, 7, 8, 9, 10].map((number) => `/proc/self/fd/${number}`)
    for (const folder of folders) {
      const result = await engine.execDirect(at('one'), script('pwd', { workingDirectory: folder }))
      expect([result.exitCode, result.stderr.toString()]).toEqual([126, expect.stringContaining(`can't cd to ${folder}`)])
    }
  })

  it('keeps output up to the cap and counts all of it, on both streams', async () => {
    const text = 'head -c 3000000 /dev/zero | tr "\\0" o; head -c 2000001 /dev/zero | tr "\\0" e >&2'
    const result = await run('one', text, { outputBytes: 100_000 })
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 3_000_000, stderrBytes: 2_000_001 })
    expect(result.stdout.equals(Buffer.alloc(100_000, 'o'))).toBe(true)
    expect(result.stderr.equals(Buffer.alloc(100_000, 'e'))).toBe(true)
  })

  it('keeps the real end of an output too, where it is asked for, and all of one that fits', async () => {
    const bounds = { outputBytes: 100, tailBytes: 40 }
    const result = await run('one', 'seq 1 300000; seq 1 300000 >&2', bounds)
    const whole = Buffer.from(Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join(''))
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: whole.length, stderrBytes: whole.length })
    const kept = Buffer.concat([whole.subarray(0, 60), whole.subarray(-40)]).toString()
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual([kept, kept])
    const short = await run('one', 'seq 1 36; printf 1 >&2', bounds)
    expect([short.stdout.toString(), short.stderr.toString()]).toEqual([whole.toString('utf8', 0, 99), '1'])
  })

  it('does not truncate output of exactly the cap', async () => {
    const result = await run('one', 'printf 12345; printf 123456 >&2', { outputBytes: 5 })
    expect(result).toMatchObject({ stdoutBytes: 5, stderrBytes: 6 })
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['12345', '12345'])
  })

  it('runs many commands at once, each with its own streams', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    const results = await Promise.all(numbers.map((n) => run('one', `cat; echo "err ${n}" >&2; exit ${n}`, { stdin: `in ${n}` })))
    const seen = results.map(({ stdout, stderr, exitCode }) => [stdout.toString(), stderr.toString(), exitCode])
    expect(seen).toEqual(numbers.map((n) => [`in ${n}`, `err ${n}\n`, n]))
  })

  it('ends with its command, whatever that left in the background', async () => {
    const [quiet, holding] = [nap(), nap()]
    expect(await read('one', `setsid ${quiet} > /dev/null 2>&1 < /dev/null & echo over`)).toBe('over\n')
    expect(await read('one', `${holding} & echo over`)).toBe('over\n')
    expect(await inspectProcesses(engine, at('one'))).toEqual(expect.arrayContaining([quiet, holding]))
  })

  it('says that the service is not running', async () => {
    const size = { columns: 80, rows: 24 }
    await expect(run('done', 'true')).rejects.toMatchObject({ code: 'container_not_running' })
    await expect(engine.openInspector(at('done'), ['true'])).rejects.toMatchObject({ code: 'container_not_running' })
    await expect(engine.terminal(at('done'), { argv: ['sh'], ...size })).rejects.toMatchObject({ code: 'container_not_running' })
  })

  it.each([
    ['an unknown service', () => at('nobody')],
    ['a service of no name', () => at('')],
    ['an unknown sandbox', () => ({ sandbox: createId(), service: 'one' })],
    ['half of a sandbox', () => ({ sandbox: id.slice(0, 8), service: 'one' })],
  ])('%s is not found', async (_, target) => {
    await expect(engine.exec(target(), script('true'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.openInspector(target(), ['true'])).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.restart(target())).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.kill(target())).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.terminal(target(), { argv: ['sh'], columns: 80, rows: 24 })).rejects.toMatchObject({ code: 'not_found' })
  })
}
