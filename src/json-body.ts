// What request bodies may be, for REST and MCP: JSON in UTF-8 without a byte-order mark, with limits on depth and on the number of
// fields and elements, and no half of a surrogate pair, which UTF-8 cannot carry on. Other types, charsets and content encodings are refused by their headers, before the body is read; the limits
// are checked before the JSON is built.

import type { IncomingHttpHeaders } from 'node:http'
import { LabError } from './errors.ts'
import { invalidField } from './validation-messages.ts'

export const jsonType = /^application\/json\s*(;.*)?$/i
/** US-ASCII is a part of UTF-8. */
const charsets = ['utf-8', 'utf8', 'us-ascii']

const unsupported = (message: string, hint: string) => new LabError('unsupported_media_type', message, { hint })

const charsetIn = (contentType: string): string => /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'

export interface BodyRefusal {
  readonly error: LabError
  /** What the response says beside it. */
  readonly headers: Readonly<Record<string, string>>
}

/** Why a body with these headers is not read, or undefined. */
export const bodyRefusalOf = (headers: IncomingHttpHeaders): BodyRefusal | undefined => {
  const { 'content-type': contentType = '', 'content-encoding': encoding = '' } = headers
  if (!['', 'identity'].includes(encoding.trim().toLowerCase())) {
    const error = unsupported('the body has a content encoding, and none is supported', 'send it as it is, without Content-Encoding')
    return { error, headers: { 'accept-encoding': 'identity' } }
  }
  if (!jsonType.test(contentType))
    return { error: unsupported('the body must be JSON', 'send Content-Type: application/json'), headers: {} }
  if (charsets.includes(charsetIn(contentType))) return undefined
  return { error: unsupported('the body must be in UTF-8', 'send Content-Type: application/json without a charset'), headers: {} }
}

const deepest = 32
/** Fields of objects and elements of arrays together. Real requests have some hundreds at most. */
export const mostMembers = 5_000

const byteOrderMark = 0xfeff

const invalid = (message: string) => new LabError('invalid_request', message)

/** Depth and number of members, by counting brackets and commas outside of strings. */
const measure = (text: string): { readonly depth: number; readonly members: number } => {
  let depth = 0
  let most = 0
  let members = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x2c) members += 1
    else if (code === 0x7b || code === 0x5b) {
      members += 1
      most = Math.max(most, ++depth)
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return { depth: most, members }
}

/** Halves of surrogate pairs come only as escapes: as bytes they are not valid UTF-8. */
const surrogate = /\\ud[89a-f]/i

/** Where a text is that is no valid Unicode; for the name of a field, where its object is. Undefined when there is none. */
const pathOfBroken = (value: unknown, path: readonly string[] = []): readonly string[] | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, part] of Object.entries(value)) {
    const found = name.isWellFormed() ? pathOfBroken(part, [...path, name]) : path
    if (found !== undefined) return found
  }
  return undefined
}

/** Throws invalid_request. */
export const parseJson = (bytes: Buffer, members = mostMembers): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid('the body is not valid UTF-8')
  }
  if (text.charCodeAt(0) === byteOrderMark) throw invalid('the body begins with a byte-order mark')
  if (text.trim() === '') throw invalid('the body is empty')
  const size = measure(text)
  if (size.depth > deepest) throw invalid(`the body is nested more than ${deepest} levels deep`)
  if (size.members > members) throw invalid(`the body has more than ${members} fields and elements`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('the body is not valid JSON')
  }
  const broken = surrogate.test(text) ? pathOfBroken(value) : undefined
  if (broken !== undefined) throw invalidField(broken.join('.') || 'body', 'is not valid Unicode')
  return value
}
