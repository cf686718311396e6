// Replaces {{name}} in texts: parameters when a scenario is instantiated, nonces and baseline values when a probe runs.

const placeholder = /\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}/g

export type Values = Readonly<Record<string, string | number>>

/** Fills in what is known and leaves the rest. */
export const interpolate = (text: string, values: Values): string =>
  text.replace(placeholder, (match, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : match))

/** A text that is nothing but one name becomes that name's value, number or text. */
const fillScalar = (text: string, values: Values): string | number => {
  const whole = /^\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}$/.exec(text)?.[1]
  return whole !== undefined && Object.hasOwn(values, whole) ? (values[whole] as string | number) : interpolate(text, values)
}

/** Fills in every text of a value, however deep. */
export const fill = <T>(value: T, values: Values): T => {
  if (typeof value === 'string') return fillScalar(value, values) as T
  if (Array.isArray(value)) return value.map((entry) => fill(entry, values)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [interpolate(key, values), fill(entry, values)])) as T
}

/** Fills in file contents; what is not text stays as it is. */
export const fillContent = (content: Buffer, values: Values): Buffer =>
  content.includes(0) || !content.includes('{{') ? content : Buffer.from(interpolate(content.toString(), values))

/** Every name that a value refers to, with the path to where it does. */
export const namesIn = (value: unknown, path: readonly (string | number)[] = []): { name: string; path: (string | number)[] }[] => {
  if (typeof value === 'string') return [...value.matchAll(placeholder)].map((match) => ({ name: match[1] as string, path: [...path] }))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, entry]) => namesIn(entry, [...path, Array.isArray(value) ? Number(key) : key]))
}
