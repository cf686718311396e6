// Names and numbers as people read them. Pure.

const domainNames: Readonly<Record<string, string>> = {
  cloud: 'Cloud',
  containers: 'Containers',
  database: 'Database',
  'linux-kernel': 'Linux kernel',
  'message-broker': 'Message broker',
  orchestration: 'Orchestration',
  'web-server': 'Web server',
  practice: 'Practice',
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A domain that is not known by name is shown as it is written. */
export const domainName = (domain: string): string =>
  Object.hasOwn(domainNames, domain) ? (domainNames[domain] as string) : capitalized(domain.replaceAll('-', ' '))

export const kindNames = { incident: 'Incident', foundation: 'Foundation', track: 'Track' } as const
export const accessNames = { free: 'Free', pro: 'Pro' } as const
export const tierName = capitalized

export const counted = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`

/** About how long, for a wait. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return counted(Math.max(1, Math.round(seconds)), 'second')
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? counted(minutes, 'minute') : `${counted(Math.floor(minutes / 60), 'hour')} ${minutes % 60} min`
}

export const minutesUntil = (time: string, now: number): number => Math.max(0, Math.ceil((Date.parse(time) - now) / 60_000))

/** A sentence of the API, which begins in lower case and has no full stop. */
export const sentence = (text: string): string => `${capitalized(text)}${/[.?!]$/.test(text) ? '' : '.'}`

const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' })
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
export const day = (time: string | Date): string => dayFormat.format(new Date(time))
export const clockTime = (time: string | Date): string => timeFormat.format(new Date(time))

const momentFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
export const moment = (time: string | Date): string => momentFormat.format(new Date(time))

/** A length of time in a table: 48 s, 12 min, 1 h 5 min. */
export const shortDuration = (seconds: number): string => {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const milliseconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Hours, minutes and seconds, as people write them down. */
export const exactDuration = (seconds: number): string => {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const
  const told = parts.filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`)
  return told.length === 0 ? '0 s' : told.join(' ')
}
