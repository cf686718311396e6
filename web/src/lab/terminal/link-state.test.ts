// What a terminal says of its connection.

import { expect, it } from 'vitest'
import { linkWords } from './link-state.ts'

it('says nothing while all is well, and else what happens and since when', () => {
  const since = new Date('2026-01-01T10:20:30')
  expect(linkWords({ kind: 'open' }, 'web')).toBe('')
  expect(linkWords({ kind: 'opening' }, 'web')).toBe('Opening a shell on web …')
  expect(linkWords({ kind: 'lost', since, why: 'server' }, 'web')).toMatch(/^The server does not answer since 10:20:30\. It is tried again/)
  expect(linkWords({ kind: 'lost', since, why: 'machine' }, 'web')).toMatch(/^web has stopped\. .* when it is restarted/)
  expect(linkWords({ kind: 'over', why: 'exit', message: 'the shell has ended' }, 'web')).toBe('The shell has ended.')
})
