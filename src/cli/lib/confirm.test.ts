import { describe, expect, it } from 'vitest'
import { isYes } from './confirm.ts'

describe('an answer', () => {
  it('is yes only where it says so, unless yes is the default', () => {
    for (const reply of ['y', 'Y', 'yes', ' YES ']) expect([isYes(reply, false), isYes(reply, true)], reply).toEqual([true, true])
    for (const reply of ['', 'x', 'yep', 'ye', 'ok', '1', '\x1b[A'])
      expect([isYes(reply, false), isYes(reply, true)], reply).toEqual([false, true])
    for (const reply of ['n', 'No', 'never']) expect([isYes(reply, false), isYes(reply, true)], reply).toEqual([false, false])
  })
})
