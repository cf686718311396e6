import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lastWords, shortenLog } from './daemon-log.ts'

let folder: string
let log: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incident-lab-log-'))
  log = join(folder, 'dockerd.log')
})
afterAll(() => rm(folder, { recursive: true }))

it('a large log keeps whole lines of its end, a small one everything', async () => {
  await shortenLog(log) // there is none yet
  await writeFile(log, 'level=info msg="a line"\n'.repeat(1_000_000))
  await appendFile(log, 'level=error msg="the last"\nlevel=info msg="bye"\n')
  await shortenLog(log)
  const text = await readFile(log, 'utf8')
  expect(text).toMatch(/^level=info msg="a line"\n(?:.*\n)*level=error msg="the last"\nlevel=info msg="bye"\n$/)
  expect(text.length).toBeGreaterThan(1_000_000)
  expect(text.length).toBeLessThanOrEqual(2 ** 20)
  await shortenLog(log)
  expect((await stat(log)).size).toBe(text.length)
})

it('the last words are the last error, or else the last line', async () => {
  expect(await lastWords(log)).toBe('level=error msg="the last"')
  await writeFile(log, 'one\ntwo\n')
  expect(await lastWords(log)).toBe('two')
})
