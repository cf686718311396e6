import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileSpec } from '../topology.ts'
import { packFiles, readFolder } from './archive.ts'

interface Entry {
  readonly name: string
  readonly mode: number | undefined
  readonly owner: readonly (number | undefined)[]
  readonly content: Buffer
}

const unpack = async (archive: Buffer): Promise<Entry[]> => {
  const entries: Entry[] = []
  const reader = extract()
  reader.end(archive)
  for await (const entry of reader) {
    const { name, mode, uid, gid } = entry.header
    entries.push({ name, mode, owner: [uid, gid], content: await buffer(entry) })
  }
  return entries
}

const file = (path: string, content: string | Buffer = '', executable = false): FileSpec => ({
  path,
  content: Buffer.from(content),
  executable,
})

describe('packFiles', () => {
  it('keeps content, and the executable bit, for root', async () => {
    const bytes = randomBytes(70_000)
    const archive = await packFiles([file('/etc/app/settings', 'a = 1\n'), file('/usr/bin/run', bytes, true), file('/empty')])
    expect(await unpack(archive)).toEqual([
      { name: 'etc/app/settings', mode: 0o644, owner: [0, 0], content: Buffer.from('a = 1\n') },
      { name: 'usr/bin/run', mode: 0o755, owner: [0, 0], content: bytes },
      { name: 'empty', mode: 0o644, owner: [0, 0], content: Buffer.alloc(0) },
    ])
  })

  it('carries long and unusual names', async () => {
    const names = [`srv/${'long/'.repeat(60)}name`, 'srv/späte Fähre ⛴.txt']
    const entries = await unpack(await packFiles(names.map((name) => file(`//${name}`, 'x'))))
    expect(entries.map(({ name }) => name)).toEqual(names)
  })

  it('of nothing is an archive too', async () => {
    expect(await unpack(await packFiles([]))).toEqual([])
  })

  it('of more than a stream holds at once is complete', async () => {
    const files = Array.from({ length: 200 }, (_, index) => file(`/srv/${index}`, randomBytes(8_000)))
    expect((await unpack(await packFiles(files))).map(({ content }) => content)).toEqual(files.map(({ content }) => content))
  })
})

describe('readFolder', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'archive-'))
    await mkdir(join(folder, 'b/deep'), { recursive: true })
    await mkdir(join(folder, 'nothing-in-it'))
    await writeFile(join(folder, 'z'), 'last')
    await writeFile(join(folder, 'b/deep/run.sh'), '#!/bin/sh\n')
    await chmod(join(folder, 'b/deep/run.sh'), 0o755)
    await writeFile(join(folder, 'a'), Buffer.from([0, 255]))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('finds every file, in a stable order', async () => {
    expect(await readFolder(folder)).toEqual([
      file('a', Buffer.from([0, 255])),
      file('b/deep/run.sh', '#!/bin/sh\n', true),
      file('z', 'last'),
    ])
  })

  it('fails where there is no folder', async () => {
    await expect(readFolder(join(folder, 'absent'))).rejects.toThrow('ENOENT')
  })
})
