// Finds changed program files and user databases. They come with the image of a service, and no repair needs to change them; a
// changed program could report anything.

import { isBelow, isProgram } from '../catalog/program-paths.ts'
import type { Guard } from '../catalog/scenario-instance.ts'
import type { FileChange } from '../engine/engine.ts'

/** New files here are harmless: they run only when somebody calls them. */
const own = /^\/usr\/local\/(s?bin|src)\/./
const standardFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const isProvided = ({ kind, path }: FileChange, providedFiles: readonly string[]): boolean =>
  kind !== 'deleted' && providedFiles.some((file) => file === path || (kind === 'added' && isBelow(file, [path])))

/** Every change of a program file since its image, beside what the scenario put there. */
export const changedPrograms = (
  changes: readonly FileChange[],
  { mayChange, providedFiles }: Pick<Guard, 'mayChange' | 'providedFiles'>,
): string[] =>
  changes
    .filter(({ path }) => isProgram(path))
    .filter(({ kind, path }) => !(kind === 'added' && own.test(path)))
    .filter((change) => !isBelow(change.path, mayChange) && !isProvided(change, providedFiles))
    .map(({ kind, path }) => `${path} was ${kind}`)

/** Mode and owner of folders of the image, where they are not the image's. */
export const foldersIn = (changes: readonly FileChange[]): Record<string, string> =>
  Object.fromEntries(changes.flatMap(({ path, rights }) => (rights === undefined ? [] : [[path, rights]])))

/** Folders of the image in which programs may not do any more what they could, or others may; given those that were so while healthy. */
export const changedFolders = (changes: readonly FileChange[], before: Readonly<Record<string, string>>, mayChange: readonly string[]) =>
  Object.entries(foldersIn(changes)).flatMap(([path, rights]) => (before[path] === rights || isBelow(path, mayChange) ? [] : [path]))

/** Paths at which a program may be that a new one of the same name hides; given the folders in which a service looks for programs. */
export const shadowedBy = (changes: readonly FileChange[], searchPath: readonly string[]): string[] => {
  const folders = [...new Set([...standardFolders, ...searchPath])]
  return changes
    .filter(({ kind }) => kind === 'added')
    .flatMap(({ path }) => {
      const cut = path.lastIndexOf('/')
      const folder = path.slice(0, cut)
      return folders.includes(folder) ? folders.filter((other) => other !== folder).map((other) => other + path.slice(cut)) : []
    })
}

/** What must be as it was: what the author says, and programs of the scenario's own, which no image can be compared with. */
export const intactPaths = ({ intact, providedFiles }: Pick<Guard, 'intact' | 'providedFiles'>): string[] => [
  ...intact,
  ...providedFiles.filter((path) => isProgram(path) && !isBelow(path, intact)),
]
