// Ctrl-] and a letter, among what is typed.

import { expect, it } from 'vitest'
import { createPrefixKeys } from './prefix-keys.ts'

const type = (...chunks: readonly string[]): string[] => {
  const heard: string[] = []
  const keys = createPrefixKeys({
    shell: (keystrokes) => heard.push(`shell ${JSON.stringify(keystrokes)}`),
    command: (key) => heard.push(`command ${key}`),
    waiting: (isWaiting) => heard.push(isWaiting ? 'waits' : 'waits no more'),
  })
  for (const chunk of chunks) keys(chunk)
  return heard
}

it('everything goes to the shell, control keys too', () => {
  expect(type('ls -l\r', '\x03', '\x1b[A', '\t')).toEqual(['shell "ls -l\\r"', 'shell "\\u0003"', 'shell "\\u001b[A"', 'shell "\\t"'])
})

it('Ctrl-] and a letter is a command, in one chunk or in several', () => {
  expect(type('\x1d', 'g')).toEqual(['waits', 'waits no more', 'command g'])
  expect(type('a\x1dhb')).toEqual(['shell "a"', 'waits', 'waits no more', 'command h', 'shell "b"'])
})

it('Ctrl-] twice sends one', () => {
  expect(type('\x1d\x1d', 'x')).toEqual(['waits', 'waits no more', 'shell "\\u001d"', 'shell "x"'])
})

it('an arrow key or Escape is a change of mind', () => {
  expect(type('\x1d', '\x1b[A', 'g')).toEqual(['waits', 'waits no more', 'shell "g"'])
})

it('a key of more than one unit is one key', () => {
  expect(type('\x1d', '😀')).toEqual(['waits', 'waits no more', 'command 😀'])
})
