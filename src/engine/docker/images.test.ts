// Names of images only; they are made by reading folders, and no engine takes part.

import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDocker } from './connection.ts'
import { createImages } from './images.ts'

let root: string
let folder: string

const put = async (path: string, text: string) => {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), text)
}
const referenceOf = (name: string, from = folder) => createImages(connectDocker({}), from).referenceOf(name)

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'images-'))
  folder = join(root, 'images')
  await put('tools/Dockerfile', 'FROM lab/base\nRUN true\n')
  await put('web/Dockerfile', 'FROM lab/tools\nCOPY run.sh /\n')
  await put('web/run.sh', 'echo run\n')
})
afterEach(() => rm(root, { recursive: true }))

describe('the name of an image', () => {
  it('is its folder and twelve digits', async () => {
    expect(await referenceOf('web')).toMatch(/^lab\/web:[0-9a-f]{12}$/)
    expect(await referenceOf('base')).toBe('lab/base:bookworm')
  })

  it('is equal for equal content, wherever it lies', async () => {
    await cp(folder, join(root, 'copy'), { recursive: true })
    expect(await referenceOf('web', join(root, 'copy'))).toBe(await referenceOf('web'))
  })

  it.each([
    ['the text of a file', () => put('web/run.sh', 'echo runs\n')],
    ['its Dockerfile', () => put('web/Dockerfile', 'FROM lab/tools\nCOPY run.sh /srv/\n')],
    ['one more file', () => put('web/more', '')],
    ['an executable bit', () => chmod(join(folder, 'web/run.sh'), 0o755)],
    ['the image it is made from', () => put('tools/Dockerfile', 'FROM lab/base\nRUN false\n')],
  ])('changes with %s', async (_, edit) => {
    const before = await referenceOf('web')
    await edit()
    expect(await referenceOf('web')).not.toBe(before)
  })

  it('changes with where a file ends and the next begins', async () => {
    await put('web/one', 'ab')
    await put('web/two', 'c')
    const before = await referenceOf('web')
    await put('web/one', 'a')
    await put('web/two', 'bc')
    expect(await referenceOf('web')).not.toBe(before)
  })

  it('does not change with a folder that is not in its line', async () => {
    const before = await referenceOf('tools')
    await put('web/run.sh', 'echo other\n')
    expect(await referenceOf('tools')).toBe(before)
  })
})

describe('a folder that is missing', () => {
  it('is named', async () => {
    await expect(referenceOf('absent')).rejects.toThrow('there is no images/absent/Dockerfile')
    await put('odd/Dockerfile', 'FROM lab/absent\n')
    await expect(referenceOf('odd')).rejects.toThrow('there is no images/absent/Dockerfile')
  })

  it('is found once it exists', async () => {
    const images = createImages(connectDocker({}), folder)
    await expect(images.referenceOf('late')).rejects.toThrow('images/late')
    await put('late/Dockerfile', 'FROM lab/base\n')
    expect(await images.referenceOf('late')).toMatch(/^lab\/late:/)
  })
})
