// The values that probes and the rest of scenario.yaml are written with: one definition of each.

import { z } from 'zod'
import { slug } from '../contract/names.ts'

/** Of a scenario, an image, a domain. */
export const id = slug.max(48)
/** A service is a host in its sandbox. */
export const serviceName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a host name of lower-case letters, digits and hyphens')
export const fileMode = z.string().regex(/^[0-7]{4}$/, 'must be four octal digits')
export const port = z.int().min(1).max(65_535)
export const insidePath = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a path inside the scenario folder')
/** The path is part of it: what waits for readiness sends it as it is written. */
export const url = z.string().regex(/^http:\/\/[^\s/]+\//, 'must be an http:// address inside the sandbox, with a path')
/** An empty one would match everything. */
export const pattern = z.string().refine((source) => {
  try {
    return new RegExp(source, 'm').source !== '(?:)'
  } catch {
    return false
  }
}, 'must be a regular expression')
/** A text; a number is accepted too, because a parameter may be one. */
export const word = z.union([z.string(), z.number()]).transform(String)
export const environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'), word)
export const text = z.union([word, z.array(word)]).transform((value) => (Array.isArray(value) ? value : [value]))
/** Signs that a text is meant as a regular expression. */
const patternSign = /\\[sSwWdDbB]|\(\?|\[\^|\.\*/
export const plainText = text.refine(
  (parts) => !parts.some((part) => patternSign.test(part)),
  'plain text: a pattern belongs to matches or lacks_matches',
)
export const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const
/** In bytes. */
export const size = z
  .string()
  .regex(/^\d+[kmg]$/, 'a size such as 64m')
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units])
