// Which paths hold programs, or what programs load by themselves. They come with the image of a service, and no repair needs to change them.

const programs = /^\/(usr|bin|sbin|lib\w*|opt)(\/|$)/
const literally = (names: readonly string[]): string[] => names.map((name) => name.replaceAll('.', '\\.'))
/** Shells, editors and psql read these below /etc for whoever begins a session. */
const ofEverySession = ['bash.bashrc', 'bash_completion', 'bash_completion.d', 'inputrc', 'postgresql-common', 'vim']
/** What engineers put behind the name of a file of which they keep a copy. */
export const copyEndings = 'bak|backup|orig|old|save'
/** Init scripts run the settings of a program below its exact name as root: whoever keeps a copy beside them does no harm. */
const backupCopy = `[^/]*([.~]|[_-](${copyEndings})\\d*$)`
/** What programs load, run or look up by themselves. The folder itself counts too: it may become a link to another. */
const loaded = [
  ...literally(ofEverySession),
  'ld\\.so\\..*',
  'python3[^/]*',
  'perl',
  'init\\.d',
  'lsb-base-logging\\.sh',
  `default(?!/${backupCopy})`,
  'logrotate\\.(d|conf)',
  'service',
  'cron[^/]*',
  'alternatives',
  'gss',
  'krb5\\.conf.*',
  'ssl(?=$|/openssl\\.cnf)',
  'pam\\.(d|conf)',
  'security',
  'sudoers.*',
  'nsswitch\\.conf',
  'environment',
  'profile(\\.d)?',
  'g?shadow',
  'passwd',
  'group',
]
const settings = new RegExp(`^/etc(/(${loaded.join('|')})(/.*)?)?$`)
/** Whoever runs cron runs these; who does not may tomorrow. */
const jobs = /^\/var\/spool\/cron(\/|$)/
/** Python loads what is in a user's own folder into every program of that user. */
const ofUser = /\/\.local\/(lib|bin)(\/|$)/
/** The same in a user's own folder, and what curl and Erlang read. */
const sessionFiles = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile', '.inputrc'],
  ...['.psqlrc', '.curlrc', '.vimrc', '.ssh', '.erlang'],
]
const ofSession = new RegExp(`/(${literally(sessionFiles).join('|')})(/|$)`)
/** svlogd looks for settings beside the log, which may select what is logged. */
const ofLog = /^\/var\/log\/(.*\/)?config$/

/** Whether a file is a program, or is loaded or run by programs of its own accord. */
export const isProgram = (path: string): boolean => [programs, settings, jobs, ofUser, ofSession, ofLog].some((each) => each.test(path))

/** What somebody may change on a machine of their own. */
export const ofOwnMachine: readonly string[] = [
  ...sessionFiles.map((name) => `/root/${name}`),
  ...ofEverySession.map((name) => `/etc/${name}`),
]

/** Whether a path is one of these, or in one of these folders. */
export const isBelow = (path: string, tops: readonly string[]): boolean => tops.some((top) => path === top || path.startsWith(`${top}/`))

/** Read only where a data folder is empty, so nobody's harm. */
export const isInitial = (path: string): boolean => path.startsWith('/srv/db/init/')
