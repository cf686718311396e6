// Finds changed program files and user databases. They come with the image of a service, and no repair needs to change them; a
// changed program could report anything.

import type { Guard } from '../catalog/scenario.ts'
import type { FileChange } from '../engine/engine.ts'

const programs = /^\/(usr|bin|sbin|lib\w*|opt)(\/|$)/
/** What programs load, run or look up by themselves. The folder itself counts too: it may become a link to another. */
const loaded = [
  'ld\\.so\\..*',
  'python3[^/]*',
  'perl',
  'init\\.d',
  'service',
  'cron[^/]*',
  'alternatives',
  'gss',
  'krb5\\.conf.*',
  'ssl(?=$|/openssl\\.cnf)',
  'pam\\.(d|conf)',
  'security',
  'sudoers.*',
  'environment',
  'profile(\\.d)?',
  'g?shadow',
  'passwd',
  'group',
]
const settings = new RegExp(`^/etc(/(${loaded.join('|')})(/.*)?)?$`)
/** Python loads what is in a user's own folder into every program of that user. */
const ofUser = /\/\.local\/(lib|bin)(\/|$)/
/** New files here are harmless: they run only when somebody calls them. */
const own = /^\/usr\/local\/(s?bin|src)\/./
const standardFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** Whether a file is a program, or is loaded or run by programs of its own accord. */
export const isProgram = (path: string): boolean => programs.test(path) || settings.test(path) || ofUser.test(path)

/** Whether a path is one of these, or in one of these folders. */
export const isBelow = (path: string, tops: readonly string[]): boolean => tops.some((top) => path === top || path.startsWith(`${top}/`))

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
