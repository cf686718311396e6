// Bodies are JSON in UTF-8, and not nested beyond reason. Everything else is refused before anybody looks at it.

import type { FastifyInstance } from 'fastify'
import { LabError } from '../errors.ts'

const deepest = 32

const invalid = (message: string) => new LabError('invalid_request', message)

/** The nesting of a JSON text, without building it: brackets outside of strings. */
const depthOf = (text: string): number => {
  let depth = 0
  let most = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) most = Math.max(most, ++depth)
    else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return most
}

/** Throws invalid_request. */
export const parseJson = (bytes: Buffer): unknown => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('the body is not valid UTF-8')
  }
  if (text.trim() === '') throw invalid('the body is empty')
  if (depthOf(text) > deepest) throw invalid(`the body is nested more than ${deepest} levels deep`)
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('the body is not valid JSON')
  }
}

export const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/json\s*(;.*)?$/i, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, (body as Buffer).length === 0 ? undefined : parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}
