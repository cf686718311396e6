// Builds the web app where there is no build of its present sources, in a process of its own: the build tool would stay in the server's memory.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Progress } from '../../engine/engine.ts'
import { root } from '../../project-folders.ts'
import { run } from '../../run-program.ts'
import { webBuildFolder, webBuildsFolder } from '../../web-build.ts'

const vite = join(root, 'node_modules/vite/bin/vite.js')
const unfinished = 'unfinished-'

/** Builds of earlier sources; what another program is about to finish stays. */
const removeOthers = async (folder: string): Promise<void> => {
  const names = await readdir(webBuildsFolder(root))
  const old = names.filter((name) => name !== basename(folder) && !name.startsWith(unfinished))
  await Promise.all(old.map((name) => rm(join(webBuildsFolder(root), name), { recursive: true, force: true })))
}

/** Moves a finished build to its place, unless another program was quicker. */
const install = async (built: string, folder: string): Promise<void> => {
  try {
    await rename(built, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

export const ensureWebApp = async (progress: Progress): Promise<void> => {
  const folder = await webBuildFolder(root)
  if (existsSync(folder)) return
  progress('building the web app')
  await mkdir(webBuildsFolder(root), { recursive: true })
  const built = join(webBuildsFolder(root), `${unfinished}${randomBytes(6).toString('hex')}`)
  try {
    await run(process.execPath, [vite, 'build', join(root, 'web'), '--configLoader', 'native', '--logLevel', 'error', '--outDir', built])
    await install(built, folder)
    await removeOthers(folder)
  } finally {
    await rm(built, { recursive: true, force: true })
  }
}
