import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseCast } from '../../../test/support/asciicast.ts'
import { systemClock } from '../../clock.ts'
import { createRecorder } from './recorder.ts'
import { listRecordingFiles } from './recording-files.ts'

let folder: string
let logged: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-recorder-'))
  logged = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const record = (recordingBytes = 1_000_000) => {
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
  return createRecorder({ folder, clock: systemClock, log, limits: { recordingBytes } })
}
const size = { columns: 80, rows: 24 }
const answer = (stdout: string, exitCode: number | null = 0) => ({
  stdout: Buffer.from(stdout),
  stderr: Buffer.alloc(0),
  stdoutBytes: stdout.length,
  stderrBytes: 0,
  exitCode,
  timedOut: exitCode === null,
  durationMs: 1,
})
const files = () => listRecordingFiles(join(folder, 'box'))
const contents = async () => Promise.all((await files()).map(async ({ path }) => parseCast(await readFile(path, 'utf8'))))

describe('recordings', () => {
  it('are one file for each terminal and one for all commands, for nobody else on this machine', async () => {
    const recorder = record()
    const one = recorder.openTerminal({ sandbox: 'box', container: 'ops', ...size })
    const two = recorder.openTerminal({ sandbox: 'box', container: 'web', ...size })
    one.output(Buffer.from('from ops'))
    one.resize(100, 30)
    two.output(Buffer.from([0xc3]))
    two.output(Buffer.from([0xa9, 0xff, 0xe2]))
    two.close()
    recorder.recordCommand('box', 'db', 'true', answer('first'))
    recorder.recordCommand('box', 'app', 'exit 3', answer('', 3))
    await expect.poll(files).toHaveLength(3)
    await recorder.flush('box')
    const found = await files()
    expect(found.map(({ kind, container }) => `${kind} ${container}`).sort()).toEqual(['exec null', 'terminal ops', 'terminal web'])
    const outputs = (await contents()).map((cast) => cast.output())
    expect(outputs).toContain('from ops')
    expect(outputs).toContain('é\ufffd\ufffd')
    expect(outputs).toContain('root@db# true\r\nfirst\r\nroot@app# exit 3\r\n[exit code 3]\r\n')
    const markers = (await contents()).flatMap(({ events }) => events.filter(([, code]) => code === 'm').map(([, , label]) => label))
    expect(markers).toEqual(['root@db# true', 'root@app# exit 3'])
    for (const { path } of found) expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'box'))).mode & 0o777).toBe(0o700)
  })

  it('end at the cap of their sandbox, say so, and stay below it, whatever comes later', async () => {
    const recorder = record(20_000)
    const one = recorder.openTerminal({ sandbox: 'box', container: 'ops', ...size })
    const two = recorder.openTerminal({ sandbox: 'box', container: 'web', ...size })
    await recorder.flush('box')
    two.output(Buffer.from('early'))
    for (let index = 0; index < 1000; index += 1) one.output(Buffer.from(`${index} ${'x'.repeat(50)}\r\n`))
    two.output(Buffer.from('late'.repeat(1000)))
    for (let index = 0; index < 50; index += 1) recorder.openTerminal({ sandbox: 'box', container: 'ops', ...size }).close()
    recorder.recordCommand('box', 'db', 'true', answer('x'.repeat(30_000)))
    await expect.poll(files).not.toHaveLength(0)
    await recorder.flush('box')
    const found = await files()
    expect(found.filter(({ truncated }) => truncated).length).toBeGreaterThanOrEqual(2)
    expect(found.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
    const [longest] = (await contents()).sort((a, b) => b.events.length - a.events.length)
    expect(longest?.output()).toMatch(/^0 x+\r\n1 x+\r\n[\s\S]*\[the recording ends here: /)
    expect(longest?.events.at(-1)?.slice(1)).toEqual(['m', 'truncated'])
    // Another server on the same files counts what is there.
    const next = record(20_000)
    next.openTerminal({ sandbox: 'box', container: 'ops', ...size }).output(Buffer.from('y'.repeat(19_000)))
    await next.flush('box')
    expect((await files()).reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
  })

  it('go on after a crash, behind the last whole line', async () => {
    const first = record()
    first.recordCommand('box', 'db', 'one', answer('1'))
    await expect.poll(files).toHaveLength(1)
    const [before] = await files()
    await appendFile(before?.path as string, '[99, "o", "half a li')
    expect((await files())[0]?.bytes).toBe(before?.bytes)
    const second = record()
    second.recordCommand('box', 'db', 'two', answer('2'))
    await expect.poll(async () => (await contents())[0]?.output()).toBe('root@db# one\r\n1\r\nroot@db# two\r\n2\r\n')
    expect(await readdir(join(folder, 'box'))).toHaveLength(1)
  })
})

describe('a disk that fails', () => {
  it('costs the recording and nothing else, and is complained of once', async () => {
    const recorder = record()
    const one = recorder.openTerminal({ sandbox: 'box', container: 'ops', ...size })
    one.output(Buffer.from('kept'))
    await recorder.flush('box')
    const [file] = await files()
    await rm(join(folder, 'box'), { recursive: true })
    await writeFile(join(folder, 'box'), 'in the way')
    for (let index = 0; index < 5; index += 1) {
      one.output(Buffer.from('lost'))
      await recorder.flush('box')
    }
    expect(recorder.isCut('box', file?.id as string)).toBe(true)
    one.resize(1, 1)
    one.close()
    recorder.recordCommand('other', 'db', 'true', answer('fine'))
    await expect.poll(() => listRecordingFiles(join(folder, 'other'))).toHaveLength(1)
    const next = record()
    next.openTerminal({ sandbox: 'box', container: 'ops', ...size }).output(Buffer.from('nowhere to go'))
    await next.flush('box')
    expect(logged).toHaveLength(2)
  })
})
