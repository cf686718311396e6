// Loads the folder kinds/ of a feature: each file exports a `kind` under its own name, so that adding one edits no list.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** In the order of their names. */
export const kindsBelow = async <Kind>(feature: string): Promise<ReadonlyMap<string, Kind>> => {
  const folder = join(feature, 'kinds')
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const load = async (file: string): Promise<[string, Kind]> => {
    const { kind } = (await import(pathToFileURL(join(folder, file)).href)) as { kind: Kind }
    return [file.slice(0, -'.ts'.length), kind]
  }
  return new Map(await Promise.all(files.sort().map(load)))
}
