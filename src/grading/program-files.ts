// Finds changed program files and user databases. They come with the image of a service, and no repair needs to change them; a
// changed program could report anything.

import type { Guard } from '../catalog/scenario.ts'
import type { FileChange } from '../engine/engine.ts'

const programs = /^\/(usr|bin|sbin|lib\w*|opt)\//
const settings = /^\/etc\/(ld\.so\.|python3|init\.d\/|pam\.d\/|security\/|sudoers|passwd$|group$)/
/** New files here are harmless: they run only when somebody calls them. Libraries are excluded, because they are loaded by themselves. */
const own = /^\/usr\/local\/(?!lib)/
const ownProgram = /^\/usr\/local\/s?bin\/([^/]+)$/

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
    .filter(({ path }) => programs.test(path) || settings.test(path))
    .filter(({ kind, path }) => !(kind === 'added' && own.test(path)))
    .filter((change) => !isBelow(change.path, mayChange) && !isProvided(change, providedFiles))
    .map(({ kind, path }) => `${path} was ${kind}`)

/** Paths of the programs that new files in /usr/local would shadow in PATH. */
export const shadowedBy = (changes: readonly FileChange[]): string[] =>
  changes
    .filter(({ kind }) => kind === 'added')
    .flatMap(({ path }) => ownProgram.exec(path)?.[1] ?? [])
    .flatMap((name) => ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map((folder) => `${folder}/${name}`))
