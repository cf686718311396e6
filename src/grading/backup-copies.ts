// Backup copies that engineers make of a file or folder before they change it: `shop.conf.bak` beside `shop.conf`. Whoever has root may write
// anything into what is called a copy, so none passes where something takes it for more than that.

import { copyEndings } from '../catalog/program-paths.ts'

/**
 * Ends of folders of which a program runs or reads every entry, whatever its name: supervisors, cron, `sites-enabled`, `*.d`. Who reads a
 * `conf.d` selects by an ending that no copy has.
 */
const takesAll = '-enabled|/sv|/service|/runsvdir/[^/]+|/cron[^/]*|/crontabs|(?<!conf)\\.d'
/** The path of the original, and what follows where it is a folder. */
const copy = new RegExp(`^(.*(?<!${takesAll})/[^/]+?)(?:~|[._-](?:${copyEndings})\\d*)(/.*)?$`)
/** What is in such a folder is handed out to whoever asks. */
const served = /\/(www|htdocs|public_html)\//

type Digests = Readonly<Record<string, string>>

/**
 * Whether a new path is a copy of what was there before, or in one; given the digests by path, then and now. A file of another name is no
 * copy, whatever it ends in. Only what is served must be as its original was: elsewhere a copy may be of what the fault has made of it,
 * or of another owner, and the digests hold both.
 */
export const isBackupCopy = (path: string, before: Digests, now: Digests): boolean => {
  const [, original, rest = ''] = copy.exec(path) ?? []
  if (original === undefined) return false
  if (served.test(original)) return before[original + rest] !== undefined && before[original + rest] === now[path]
  return Object.keys(before).some((known) => known === original || known.startsWith(`${original}/`))
}
