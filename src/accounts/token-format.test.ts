import { describe, expect, it } from 'vitest'
import { createToken, isWellFormed } from './token-format.ts'

const tokens = Array.from({ length: 500 }, createToken)

describe('createToken', () => {
  it('is the prefix, 32 characters of secret and 6 of checksum', () => {
    for (const token of tokens) expect(token).toMatch(/^ilab_pat_[0-9A-Za-z]{38}$/)
  })

  it('does not repeat, and uses the whole alphabet', () => {
    expect(new Set(tokens).size).toBe(tokens.length)
    const secrets = tokens.map((token) => token.slice(9, 41)).join('')
    expect(new Set(secrets).size).toBe(62)
  })
})

describe('isWellFormed', () => {
  it('knows its own tokens', () => {
    expect(tokens.filter((token) => !isWellFormed(token))).toEqual([])
  })

  it('notices any single changed character', () => {
    const token = tokens[0] as string
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'x' ? 'y' : 'x'
      expect(isWellFormed(token.slice(0, index) + other + token.slice(index + 1))).toBe(false)
    }
  })

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'ilab_pat_'],
    ['another prefix', `ilab_tok_${(tokens[1] as string).slice(9)}`],
    ['one character less', (tokens[1] as string).slice(0, -1)],
    ['one character more', `${tokens[1]}0`],
    ['a line break at the end', `${tokens[1]}\n`],
    ['a space in front', ` ${tokens[1]}`],
  ])('refuses %s', (_name, text) => {
    expect(isWellFormed(text)).toBe(false)
  })
})
