import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { cut, padTo, wrap } from './columns.ts'

const red = (text: string) => `\x1b[31m${text}\x1b[39m`
const bold = (text: string) => `\x1b[1m${text}\x1b[22m`

it('pads by columns: a wide character takes two, a colour and an accent none', () => {
  expect(padTo('ab', 4)).toBe('ab  ')
  expect(padTo('日本', 6)).toBe('日本  ')
  expect(padTo(red('ab'), 4)).toBe(`${red('ab')}  `)
  expect(padTo('e\u0301', 2)).toBe('e\u0301 ')
  expect(padTo('too long', 3)).toBe('too long')
})

describe('cutting', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['ab cd', 4, 'ab …'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -3, ''],
  ])('makes %j %i columns wide at most', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected)
  })

  it('ends a colour that it cuts', () => {
    expect(cut(red('abcdef'), 4)).toBe(`${red('abc')}…`)
  })
})

describe('wrapping', () => {
  it('breaks at spaces, and indents what follows as far as the first line', () => {
    expect(wrap('one  two\nthree four', 12, ' - ')).toEqual([' - one two', '   three', '   four'])
    expect(wrap('', 10, '> ')).toEqual(['> '])
  })

  it('never makes a line wider than the screen, whatever the characters are', () => {
    for (const text of ['日本語'.repeat(20), 'f'.repeat(100), `${red('red words '.repeat(20))}and 日本 more`, '👩‍👩‍👧 '.repeat(30)]) {
      for (const width of [5, 20, 79]) {
        const lines = wrap(text, width, '│ ', '│ ')
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width)
      }
    }
  })

  it('ends a style with its line and begins it again on the next', () => {
    expect(wrap(bold('one two'), 5, '  ')).toEqual([`  ${bold('one')}`, `  ${bold('two')}`])
  })
})
