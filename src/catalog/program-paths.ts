// Which paths hold programs, or what programs load by themselves. They come with the image of a service, and no repair needs to change them.

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

/** Whether a file is a program, or is loaded or run by programs of its own accord. */
export const isProgram = (path: string): boolean => programs.test(path) || settings.test(path) || ofUser.test(path)

/** Whether a path is one of these, or in one of these folders. */
export const isBelow = (path: string, tops: readonly string[]): boolean => tops.some((top) => path === top || path.startsWith(`${top}/`))

/** Read only where a data folder is empty, so nobody's harm. */
export const isInitial = (path: string): boolean => path.startsWith('/srv/db/init/')
