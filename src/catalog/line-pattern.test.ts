import { expect, it } from 'vitest'
import { hasEndlessNumber, lineMatcher } from './line-pattern.ts'

const matches = lineMatcher('(workers|threads) = <1-16>|timeout = <0.5-60>|limit (<1-9>m|<1-9000>k)|name = "[\\w-]+"')

it.each(['workers = 1', 'threads = 16', 'timeout = 0.5', 'timeout = 60 # enough', 'limit 9m', 'limit 9000k', 'name = "a-b"'])(
  'takes %s',
  (line) => {
    expect(matches(line)).toBe(true)
  },
)

it.each([
  'workers = 0',
  'workers = 17',
  'workers = 160',
  'workers = 1; rm',
  'timeout = 0.4',
  'timeout = 6000',
  'limit 10m',
  'limit 9001k',
  '',
])('does not take %s', (line) => {
  expect(matches(line)).toBe(false)
})

it('takes a # where the pattern does, and otherwise as the beginning of a comment', () => {
  const either = lineMatcher('password = .+|user = [\\w#]+')
  expect(['password = a #b', 'password = a # b # c', 'user = a#b', 'user = a # b # c'].map(either)).toEqual([true, true, true, true])
  expect(['user = a b # c', 'user #', '# user = a'].map(either)).toEqual([false, false, false])
})

it.each(['\r', '\u2028', '\u2029'])('takes no line that some programs read as two: %j', (end) => {
  const any = lineMatcher('[^;]*(lock|owner).*')
  expect([any(`lock${end}rm`), any(`a${end}lock`), any(`lock # why${end}rm`)]).toEqual([false, false, false])
  expect(any('a lock')).toBe(true)
})

it('answers for lines that could be split in very many ways', () => {
  const held = lineMatcher('.*(lock|Lock|owner).*|pass')
  const hostile = 'lock #'.repeat(3_000)
  expect([held(hostile), held(`${hostile}\u2028`), held(`${hostile}\u2028x`), held(' #'.repeat(10_000))]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

it('knows numbers without a bound', () => {
  expect(['a = \\d+', 'a = \\d{2,}', '[0-9]*'].map(hasEndlessNumber)).toEqual([true, true, true])
  expect(['a = \\d{1,3}', 'a = <1-9>', 'app\\d', '\\w+'].map(hasEndlessNumber)).toEqual([false, false, false, false])
})
