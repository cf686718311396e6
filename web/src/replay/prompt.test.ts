// Lines that begin like a prompt, and others.

import { expect, it } from 'vitest'
import { commandInLine } from './prompt.ts'

it('finds commands at a prompt, and nothing where nothing was typed', () => {
  expect(commandInLine('root@ops:/# nginx -t ')).toBe('root@ops:/# nginx -t')
  expect(commandInLine('root@web-1:/etc/nginx# cat a | grep "b # c"')).toBe('root@web-1:/etc/nginx# cat a | grep "b # c"')
  for (const line of ['root@ops:/#', 'root@ops:/# ', '# a comment', 'mail to a@b.example', '', 'x'.repeat(5_000)]) {
    expect(commandInLine(line)).toBeNull()
  }
})
