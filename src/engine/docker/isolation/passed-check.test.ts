import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPassedCheck, type PassedCheckDeps } from './passed-check.ts'

const minute = 60_000
let folder: string
let now: number

const checkOf = (changes: Partial<PassedCheckDeps> = {}) =>
  createPassedCheck({
    file: join(folder, 'passed-check.json'),
    engineProcesses: async () => 'boot 12 345 6 789',
    program: [join(folder, 'program')],
    settings: ['10.213.0.0/16', undefined],
    clock: { now: () => new Date(now), sleep: async () => undefined },
    ...changes,
  })

const subjectOf = async (changes: Partial<PassedCheckDeps> = {}) => (await checkOf(changes).subject()) ?? ''

/** Whether a server that starts with these changes relies on the check that was remembered. */
const relies = async (changes: Partial<PassedCheckDeps> = {}) => (await checkOf(changes).passedAt(await subjectOf(changes))) !== null

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passed-check-'))
  await mkdir(join(folder, 'program'))
  await writeFile(join(folder, 'program', 'attack.ts'), 'one')
  now = Date.parse('2026-01-02T03:04:05.000Z')
})
afterEach(() => rm(folder, { recursive: true }))

describe('a check that passed', () => {
  it('counts for an hour, and not from the future', async () => {
    expect(await relies()).toBe(false)
    await checkOf().remember(await subjectOf())
    expect(await relies()).toBe(true)
    now += 59 * minute
    expect(await relies()).toBe(true)
    now += minute
    expect(await relies()).toBe(false)
    now -= 61 * minute
    expect(await relies()).toBe(false)
  })

  it('counts for the same run of the engine, the same program and the same settings only', async () => {
    await checkOf().remember(await subjectOf())
    expect(await relies({ engineProcesses: async () => 'boot 12 345 6 790' })).toBe(false)
    expect(await relies({ settings: ['10.214.0.0/16', undefined] })).toBe(false)
    expect(await relies({ settings: ['10.213.0.0/16', 'runsc'] })).toBe(false)
    await writeFile(join(folder, 'program', 'attack.ts'), 'two')
    expect(await relies()).toBe(false)
    await writeFile(join(folder, 'program', 'attack.ts'), 'one')
    expect(await relies()).toBe(true)
    await writeFile(join(folder, 'program', 'another.ts'), '')
    expect(await relies()).toBe(false)
  })

  it('counts on beside those of servers with other settings, each for its own hour; of very many, the last ones', async () => {
    const other = { settings: ['10.214.0.0/24', undefined] }
    await checkOf().remember(await subjectOf())
    now += 30 * minute
    await checkOf(other).remember(await subjectOf(other))
    expect([await relies(), await relies(other)]).toEqual([true, true])
    now += 30 * minute
    expect([await relies(), await relies(other)]).toEqual([false, true])
    await checkOf().remember(await subjectOf())
    expect([await relies(), await relies(other)]).toEqual([true, true])
    for (let subnet = 0; subnet < 100; subnet += 1) await checkOf().remember(`server ${subnet}`)
    expect([await relies(), await relies(other), await checkOf().passedAt('server 99')]).toEqual([false, false, expect.any(String)])
    expect((await stat(join(folder, 'passed-check.json'))).size).toBeLessThan(4096)
  })

  it('is about nothing while the engine does not run', async () => {
    expect(await checkOf({ engineProcesses: async () => null }).subject()).toBe(null)
  })

  it('does not count when its file is damaged, and is written for its owner alone', async () => {
    const subject = await subjectOf()
    for (const text of [
      '',
      '{}',
      '{"passed":[{"subject":',
      `{"passed":[{"subject":"${subject}"}]}`,
      `{"passed":[{"subject":"${subject}","passed_at":"yesterday"}]}`,
      `{"passed":{"subject":"${subject}","passed_at":"${new Date(now).toISOString()}"}}`,
      '[]',
      'null',
    ]) {
      await writeFile(join(folder, 'passed-check.json'), text)
      expect([text, await checkOf().passedAt(subject)]).toEqual([text, null])
    }
    await checkOf().remember(subject)
    expect([await relies(), (await stat(join(folder, 'passed-check.json'))).mode & 0o777]).toEqual([true, 0o600])
    expect(await readdir(folder)).toEqual(['passed-check.json', 'program'])
  })
})
