// Files that a repair may change in part: the lines that its author names. Whoever may write a whole file of settings can hide
// a door or a fault for tomorrow in it, and no look at what a service does today would find that.

import type { Observer } from './observer.ts'
import { FilesAnswer } from './probes/file.ts'

export interface SettingsFile {
  readonly mode: string
  readonly uid: number
  /** What no repair has to touch, in its order. */
  readonly lines: readonly string[]
}

/** Longer ones are nobody's settings, and no pattern is tried on them. */
const longestLine = 1000
const said = 120
const idle = /^(#.*|\/\/.*|;.*)?$/

/** All lines but blanks, comments and those that may change, however they are set in. */
export const linesKept = (text: string, mayChange: string): string[] => {
  const pattern = new RegExp(`^(?:${mayChange})(?: #.*)?$`)
  return text
    .split('\n')
    .map((line) => line.trim().replace(/[ \t]+/g, ' '))
    .filter((line) => line.length > longestLine || !(idle.test(line) || pattern.test(line)))
}

const readFile = async (observer: Observer, service: string, path: string, mayChange: string): Promise<SettingsFile | null> => {
  const { entries } = await observer.look(service, { look: 'file', path, text: true }, FilesAnswer)
  const entry = entries.find((found) => found.path === path)
  if (entry?.type !== 'file' || entry.text === undefined) return null
  return { mode: entry.mode, uid: entry.uid, lines: linesKept(entry.text, mayChange) }
}

/** What is to stay of every such file of a service, by path; null where there is no file. */
export const readSettings = async (
  observer: Observer,
  service: string,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, SettingsFile | null>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(settings).map(async ([path, mayChange]) => [path, await readFile(observer, service, path, mayChange)]),
    ),
  )

/** What is wrong with a file now. */
export const compareSettings = (before: SettingsFile, now: SettingsFile | null): string | undefined => {
  if (now === null) return 'is gone'
  if (now.uid !== before.uid) return `is owned by user ${now.uid}`
  if ((Number.parseInt(now.mode, 8) & ~Number.parseInt(before.mode, 8)) !== 0) return `has mode ${now.mode}`
  const at = now.lines.findIndex((line, index) => line !== before.lines[index])
  const line = at === -1 ? before.lines[now.lines.length] : now.lines[at]
  if (line === undefined) return undefined
  const isNew = at !== -1 && !before.lines.includes(line)
  return isNew
    ? `has a line that was not there before: ${line.slice(0, said)}`
    : `has a line missing or moved: ${(before.lines[at] ?? line).slice(0, said)}`
}
