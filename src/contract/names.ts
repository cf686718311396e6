// The names and paths that requests and scenarios share: one definition of each.

import { z } from 'zod'

/** As it stands in addresses: of a course, an image, a term of the glossary. */
export const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens')

/** PostgreSQL takes every character in a text but this one. */
const noNul = /^[^\0]*$/
export const storableText = z.string().regex(noNul, 'must not contain a NUL character')

/** What a caller names a thing by. Whether there is one, the lookup says. */
export const lookupId = storableText.min(1).max(64)

/** Linux takes no longer path. */
const pathLength = 4096
export const absolutePath = z
  .string()
  .max(pathLength)
  .regex(/^\/[^\0]*$/, 'must be an absolute path')
