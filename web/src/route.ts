// Which page an address means. Pure.

import { type PageName, pagePaths } from '../../src/contract/page-paths.ts'

export interface Route {
  readonly page: PageName
  readonly params: Readonly<Record<string, string>>
}

const decode = (part: string): string | null => {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** The parameters of a path that fits the pattern; null where it does not. */
const match = (pattern: string, path: string): Record<string, string> | null => {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] as string)
    if (part.startsWith(':')) {
      if (value === null || value === '') return null
      params[part.slice(1)] = value
    } else if (part !== value) return null
  }
  return params
}

/** Null for a path that is no page of the app. */
export const routeOf = (path: string): Route | null => {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  for (const [page, pattern] of Object.entries(pagePaths)) {
    const params = match(pattern, trimmed)
    if (params !== null) return { page: page as PageName, params }
  }
  return null
}

/** The address of a page. */
export const pathTo = (page: PageName, params: Readonly<Record<string, string>> = {}): string =>
  pagePaths[page].replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
