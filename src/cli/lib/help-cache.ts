// A cache of the list of verbs, beside the packages: to write it, every verb has to be loaded with all that it uses, which takes seconds.
// It is written anew when a file of the command line has changed. Imports nothing but Node.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const cliFolder = join(import.meta.dirname, '..')
const cacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/incident-lab')

/** The file with the list for a terminal of this width. */
const pathFor = (columns: number): string => {
  const hash = createHash('sha256').update(String(columns))
  for (const name of readdirSync(cliFolder)
    .filter((entry) => entry.endsWith('.ts'))
    .sort()) {
    const { mtimeMs, size } = statSync(join(cliFolder, name))
    hash.update(`${name} ${mtimeMs} ${size}\n`)
  }
  return join(cacheFolder, `help-${hash.digest('hex').slice(0, 16)}.txt`)
}

/** Null when it is not there, or cannot be read. */
export const readCachedHelp = (columns: number): string | null => {
  try {
    return readFileSync(pathFor(columns), 'utf8')
  } catch {
    return null
  }
}

export const cacheHelp = (columns: number, text: string): void => {
  try {
    const path = pathFor(columns)
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(`${path}.${process.pid}`, text)
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // the next one takes as long
  }
}
