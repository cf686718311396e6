// Packs files into a tar archive, as the Docker API expects them. Root owns them; missing folders get mode 0755.

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import type { FileSpec } from '../topology.ts'

export const packFiles = async (files: readonly FileSpec[]): Promise<Buffer> => {
  const archive = pack()
  for (const file of files) {
    archive.entry({ name: file.path.replace(/^\/+/, ''), mode: file.executable ? 0o755 : 0o644 }, file.content)
  }
  archive.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** All files below a folder, with paths relative to it, in a stable order. */
export const readFolder = async (folder: string): Promise<FileSpec[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: path.slice(folder.length + 1),
      content: await readFile(path),
      executable: ((await stat(path)).mode & 0o100) !== 0,
    })),
  )
}
