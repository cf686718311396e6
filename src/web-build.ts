// Where the built web app is: in a folder whose name is a hash of all that it is made of. A build that is there is up to date, and two
// programs that build at the same time do not meet.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { filesBelow } from './files-below.ts'

const sourceFolders = ['web', 'src/client', 'src/contract']
const sourceFiles = ['src/errors.ts', 'package-lock.json']

/** All builds are in here; git does not see it. */
export const webBuildsFolder = (root: string): string => join(root, 'web', 'dist')

const isSource = (root: string) => {
  const builds = `${webBuildsFolder(root)}${sep}`
  return (path: string) => !path.startsWith(builds) && !/\.test\.tsx?$/.test(path)
}

/** The folder of the build that belongs to the sources as they are now, whether it exists or not. */
export const webBuildFolder = async (root: string): Promise<string> => {
  const below = (await Promise.all(sourceFolders.map((folder) => filesBelow(join(root, folder))))).flat()
  const paths = [...below.filter(isSource(root)), ...sourceFiles.map((file) => join(root, file))]
  const contents = await Promise.all(paths.map((path) => readFile(path)))
  const hash = createHash('sha256')
  for (const [index, content] of contents.entries()) {
    hash.update(`${relative(root, paths[index] as string)} ${content.length}\n`).update(content)
  }
  return join(webBuildsFolder(root), hash.digest('hex').slice(0, 16))
}
