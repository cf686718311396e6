// What is a ticket in an address, and what is not.

import { describe, expect, it } from 'vitest'
import { secretIn } from './lab-tickets.ts'

describe('the fragment of an address', () => {
  it('holds a ticket or an invitation by name', () => {
    expect(secretIn('#ticket=a.1.b.c')).toBe('a.1.b.c')
    expect(secretIn('#invitation=Ab-_9')).toBe('Ab-_9')
  })

  it('holds none otherwise', () => {
    for (const fragment of ['', '#', '#main', '#ticket=', '#ticket', '#other=a', 'ticket=a'])
      expect(secretIn(fragment), fragment).toBeNull()
  })
})
