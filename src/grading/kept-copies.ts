// Copies that engineers keep of a file or folder before they change it: `shop.conf.bak` beside `shop.conf`.

/** The original's path is in front. Not in folders like sites-enabled, of which programs read every file. */
const copy = /^(.*(?<!-enabled)\/[^/]+?)(?:~|[._-](?:bak|backup|orig|old|save)\d*)(?:\/|$)/

/** Whether a new path is a copy of what was there before, or in one. A file of another name is no copy, whatever it ends in. */
export const isKeptCopy = (path: string, before: readonly string[]): boolean => {
  const original = copy.exec(path)?.[1]
  return original !== undefined && before.some((known) => known === original || known.startsWith(`${original}/`))
}
