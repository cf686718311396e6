// Program files, and who is who: they come with a machine's image, and no repair of a service has to touch them. Whoever does
// can have any program say or do anything.

import type { Guard } from '../catalog/scenario.ts'
import type { FileChange } from '../engine/engine.ts'

const programs = /^\/(usr|bin|sbin|lib\w*|opt)\//
const settings = /^\/etc\/(ld\.so\.|python3|init\.d\/|pam\.d\/|security\/|sudoers|passwd$|group$)/
/** Whatever is laid down here beside what came with the image runs only if somebody calls it; libraries are loaded unasked. */
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

/** Where programs came with the image that would be found no more, because something new has their name and comes first. */
export const hiddenBy = (changes: readonly FileChange[]): string[] =>
  changes
    .filter(({ kind }) => kind === 'added')
    .flatMap(({ path }) => ownProgram.exec(path)?.[1] ?? [])
    .flatMap((name) => ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map((folder) => `${folder}/${name}`))
