import { describe, expect, it } from 'vitest'
import { createId } from '../ids.ts'
import { createSessionIds } from './session-id.ts'

const sessionIds = createSessionIds('a secret of this installation, kept')
const id = 'n6v19knes6eqgy5h'
const sessionId = sessionIds.of(id)

describe('of', () => {
  it('is the public id and 160 bits that cannot be guessed', () => {
    expect(sessionId).toMatch(/^n6v19knes6eqgy5h\.[0-9a-hjkmnp-tv-z]{32}$/)
  })

  it('is the same after a restart', () => {
    expect(createSessionIds('a secret of this installation, kept').of(id)).toBe(sessionId)
  })

  it('differs for another sandbox and under another secret', () => {
    const mac = (text: string) => text.split('.')[1]
    expect(mac(sessionIds.of(createId()))).not.toBe(mac(sessionId))
    expect(mac(createSessionIds('another secret altogether, elsewhere').of(id))).not.toBe(mac(sessionId))
  })
})

describe('open', () => {
  it('gives back the public id', () => {
    expect(sessionIds.open(sessionId)).toBe(id)
  })

  it('refuses any single changed character', () => {
    for (let index = 0; index < sessionId.length; index += 1) {
      const other = sessionId[index] === 'q' ? 'r' : 'q'
      expect(sessionIds.open(sessionId.slice(0, index) + other + sessionId.slice(index + 1))).toBeNull()
    }
  })

  it.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['the id alone', id],
    ['the id and a dot', `${id}.`],
    ['a short MAC', sessionId.slice(0, -1)],
    ['a long MAC', `${sessionId}0`],
    ['a third part', `${sessionId}.x`],
    ['an empty third part', `${sessionId}.`],
    ['upper case', sessionId.toUpperCase()],
    ['a MAC of the same length in more bytes', `${id}.${'é'.repeat(32)}`],
    ['a MAC of the same bytes in fewer characters', `${id}.${'é'.repeat(16)}`],
    ['the session id under another secret', createSessionIds('another secret altogether, elsewhere').of(id)],
  ])('refuses %s', (_name, text) => {
    expect(sessionIds.open(text)).toBeNull()
  })
})
