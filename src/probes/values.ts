// The values that probes and the rest of scenario.yaml are written with.

import { z } from 'zod'

export const serviceName = z.string().min(1)
export const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const
/** In bytes. */
export const size = z
  .string()
  .regex(/^\d+[kmg]$/, 'a size such as 64m')
  .transform((text) => Number(text.slice(0, -1)) * units[text.slice(-1) as keyof typeof units])
/** A text; a parameter that is a number may stand there too. */
export const word = z.union([z.string(), z.number()]).transform(String)
export const text = z.union([word, z.array(word)]).transform((value) => (Array.isArray(value) ? value : [value]))
/** What only a regular expression would hold. */
const patternSign = /\\[sSwWdDbB]|\(\?|\[\^|\.\*/
export const plainText = text.refine(
  (parts) => !parts.some((part) => patternSign.test(part)),
  'plain text: a pattern belongs to matches or lacks_matches',
)
export const pattern = z.string().refine((source) => {
  try {
    return new RegExp(source, 'm') !== null
  } catch {
    return false
  }
}, 'a regular expression')
export const insidePath = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the scenario folder')
export const absolutePath = z.string().regex(/^\//, 'an absolute path')
