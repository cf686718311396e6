// Compares settings files in which a repair may change only the lines that the scenario allows. Otherwise a user could hide a back
// door or a later fault in them, which the current behaviour of the service would not show.

import { z } from 'zod'
import { lineMatcher } from '../catalog/line-pattern.ts'
import { FilesAnswer } from '../probes/kinds/file.ts'
import type { Observer } from './observer.ts'

export const SettingsFile = z.object({
  mode: z.string(),
  uid: z.int(),
  acl: z.boolean().default(false),
  /** The lines that must stay, in their order. */
  lines: z.array(z.string()),
})
export type SettingsFile = Readonly<z.infer<typeof SettingsFile>>

/** Characters of a file: authors write a few thousand, and every line costs a try of the pattern in the process that serves everybody. */
const longestFile = 64 * 1024
/** The pattern is not tried on longer lines. */
const longestLine = 1000
const said = 120
/** Other signs begin a comment in some formats and a command in others: a shell runs `//tmp/program`. */
const idle = /^(#.*)?$/
/** In the first two lines Python takes it for the encoding of the file, in which comments may hold code. */
const encoding = /coding[:=]/

/** All lines except blank ones, comments and those that may change, up to a number of them; indentation is ignored. */
export const linesKept = (text: string, mayChange: string, most = Number.POSITIVE_INFINITY): string[] => {
  const matches = lineMatcher(mayChange)
  const kept: string[] = []
  for (const [index, given] of text.split('\n').entries()) {
    if (kept.length >= most) break
    const line = given.trim().replace(/[ \t]+/g, ' ')
    if (line.length > longestLine || (index < 2 && encoding.test(line)) || !(idle.test(line) || matches(line))) kept.push(line)
  }
  return kept
}

/** What a file is now, or in words why it cannot be compared. */
export type SettingsSeen = SettingsFile | string

const readFile = async (
  observer: Observer,
  service: string,
  [path, mayChange]: readonly [path: string, mayChange: string],
  before: SettingsFile | undefined,
): Promise<SettingsSeen> => {
  const { entries } = await observer.inspect(service, { inspection: 'file', path, text: true }, FilesAnswer)
  const entry = entries.find((found) => found.path === path)
  if (entry?.type !== 'file' || entry.text === undefined) return 'is gone'
  if (entry.text.length > longestFile) return 'is too long to compare'
  // One line more than before is a difference already.
  const lines = linesKept(entry.text, mayChange, before && before.lines.length + 1)
  return { mode: entry.mode, uid: entry.uid, acl: entry.acl, lines }
}

/** The lines that must stay in each settings file of a service, by path; of those known from before, no more than show a difference. */
export const readSettings = async (
  observer: Observer,
  service: string,
  settings: Readonly<Record<string, string>>,
  before: Readonly<Record<string, SettingsFile>> = {},
): Promise<Record<string, SettingsSeen>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(settings).map(async (setting) => [setting[0], await readFile(observer, service, setting, before[setting[0]])]),
    ),
  )

/** How often each line is there. */
const countsOf = ({ lines }: SettingsFile): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** In what two lists of lines differ. */
const differenceOf = (before: SettingsFile, now: SettingsFile, at: number): string => {
  const [old, present] = [countsOf(before), countsOf(now)]
  const added = now.lines.find((line) => (present.get(line) ?? 0) > (old.get(line) ?? 0))
  if (added !== undefined)
    return `has a line ${old.has(added) ? 'more often than before' : 'that was not there before'}: ${added.slice(0, said)}`
  const missing = before.lines.find((line) => (old.get(line) ?? 0) > (present.get(line) ?? 0))
  if (missing !== undefined) return `lacks a line that was there before: ${missing.slice(0, said)}`
  return `has its lines in another order, from this one on: ${now.lines[at]?.slice(0, said)}`
}

/** What is wrong with a file now; undefined where nothing is. */
export const compareSettings = (before: SettingsFile, now: SettingsSeen): string | undefined => {
  if (typeof now === 'string') return now
  if (now.uid !== before.uid) return `is owned by user ${now.uid}`
  if (now.acl && !before.acl) return 'has an access list'
  if ((Number.parseInt(now.mode, 8) & ~Number.parseInt(before.mode, 8)) !== 0) return `has mode ${now.mode}`
  const at = now.lines.findIndex((line, index) => line !== before.lines[index])
  if (at === -1 && now.lines.length === before.lines.length) return undefined
  return differenceOf(before, now, at)
}
