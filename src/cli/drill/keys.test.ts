import { describe, expect, it } from 'vitest'
import { createKeys } from './keys.ts'

const typed = (...chunks: string[]) => {
  const seen: string[] = []
  const keys = createKeys({
    shell: (keystrokes) => seen.push(`shell ${keystrokes}`),
    command: (key) => seen.push(`command ${key}`),
    waiting: (isWaiting) => seen.push(isWaiting ? 'waits' : 'goes on'),
  })
  for (const chunk of chunks) keys(Buffer.from(chunk))
  return seen
}

describe('keys', () => {
  it('go to the shell as they are, Ctrl-C and every letter too', () => {
    expect(typed('ls\r', '\x03', 'ä')).toEqual(['shell ls\r', 'shell \x03', 'shell ä'])
  })

  it('are commands after Ctrl-], in one chunk or in two', () => {
    const seen = ['shell ab', 'waits', 'goes on', 'command g', 'shell cd']
    expect(typed('ab\x1dgcd')).toEqual(seen)
    expect(typed('ab\x1d', 'gcd')).toEqual(seen)
  })

  it('send one Ctrl-] for two, and none for Escape or an arrow', () => {
    expect(typed('\x1d\x1d')).toEqual(['waits', 'goes on', 'shell \x1d'])
    expect(typed('\x1d', '\x1b[A', 'x')).toEqual(['waits', 'goes on', 'shell x'])
  })
})
