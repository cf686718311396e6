import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isDeclared, lintDeclarations, readDeclarations } from './mutants-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'incident-lab-mutants-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('mutants.yaml', () => {
  const lint = async (text: string) => {
    await writeFile(join(folder, 'mutants.yaml'), text)
    return (await lintDeclarations(folder)).map((problem) => problem.replace(`${folder}/`, ''))
  }

  it('names damages by their text or with stars, each with a reason', async () => {
    expect(await lint('- { mutant: "logs: web: *", harmless: it is rotated every minute }\n')).toEqual([])
    const declarations = await readDeclarations(folder)
    expect(isDeclared(declarations, 'logs: web: /var/log/a.log is emptied')).toBe(true)
    expect(isDeclared(declarations, 'logs: app: /var/log/a.log is emptied')).toBe(false)
    expect(isDeclared([{ mutant: 'a.c (x)', harmless: 'no' }], 'abc (x)')).toBe(false)
  })

  it('is refused with file, line and column where it says something else', async () => {
    expect(await lint('- { mutant: "logs: *" }\n')).toEqual([expect.stringMatching(/^mutants.yaml:1:3 0.harmless: /)])
    expect(await lint('- { mutant: a, harmless: b, always: true }\n')).toEqual([
      expect.stringMatching(/^mutants.yaml:1:\d+ 0.always: |^mutants.yaml:1:3 0: /),
    ])
    expect(await lint('- { mutant: a, harmless: "" }\n')).toEqual([expect.stringContaining('0.harmless')])
  })

  it('need not be there', async () => {
    expect(await readDeclarations(join(folder, 'nowhere'))).toEqual([])
  })
})
