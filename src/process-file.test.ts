import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claim, endProcess, isAlive, readProcess, recordOf, writeProcess } from './process-file.ts'

let folder: string
let file: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-process-'))
})
beforeEach(() => {
  file = join(folder, `${Math.random()}.json`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const startSleeper = async (ignoreTerm = false) => {
  const child = spawn('sh', ['-c', `${ignoreTerm ? "trap '' TERM; " : ''}echo up; while :; do sleep 0.1; done`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return { record: recordOf(child.pid as number), child, ended }
}

describe('claim', () => {
  it('lets one of many at once have the file', async () => {
    const claims = await Promise.allSettled(Array.from({ length: 20 }, () => claim(file, 'it')))
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const claimed of claims)
      if (claimed.status === 'rejected') expect(claimed.reason.message).toBe(`it is in use by process ${process.pid}`)
    expect(await readProcess(file)).toMatchObject({ pid: process.pid })
  })

  it('takes over from the dead, from a reused pid, and from garbage', async () => {
    const { record, child, ended } = await startSleeper()
    child.kill('SIGKILL')
    await ended
    for (const left of [JSON.stringify(record), JSON.stringify({ pid: process.pid, started: '1' }), '', '{"pid":', 'null', '[]']) {
      await writeFile(file, left)
      expect(await readProcess(file)).toBeNull()
      await claim(file, 'it')
      expect(await readProcess(file)).toMatchObject({ pid: process.pid })
      await rm(file)
    }
  })

  it('is for its owner only, and leaves no other file', async () => {
    await claim(file, 'it')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await writeProcess(file, recordOf(process.pid, { url: 'http://localhost:1' }))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readProcess(file)).toMatchObject({ url: 'http://localhost:1' })
    expect((await readdir(folder)).filter((name) => join(folder, name).startsWith(file))).toEqual([file.slice(folder.length + 1)])
  })

  it('is never seen half-written while it changes', async () => {
    await claim(file, 'it')
    let done = false
    const writer = (async () => {
      for (let round = 0; round < 200; round += 1) await writeProcess(file, recordOf(process.pid, { round, filler: 'x'.repeat(5000) }))
      done = true
    })()
    while (!done) expect(JSON.parse(await readFile(file, 'utf8')).pid).toBe(process.pid)
    await writer
  })
})

describe('endProcess', () => {
  it.each([false, true])('ends a process and waits for it (deaf to TERM: %s)', async (deaf) => {
    const { record, ended } = await startSleeper(deaf)
    expect(isAlive(record)).toBe(true)
    await endProcess(record, deaf ? 300 : 5_000)
    expect(isAlive(record)).toBe(false)
    await ended
    await endProcess(record, 1)
  })
})
