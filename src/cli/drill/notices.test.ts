import { describe, expect, it } from 'vitest'
import { createNotices, lowest } from './notices.ts'

describe('notices', () => {
  it('cover each other, and come back', () => {
    let changes = 0
    const notices = createNotices(() => {
      changes += 1
    })
    notices.show('grading', 'grading: 1 of 7')
    notices.show('menu', 'g grade')
    notices.show('grading', 'grading: 2 of 7')
    expect(notices.current()).toBe('g grade')
    notices.show('menu', undefined)
    expect(notices.current()).toBe('grading: 2 of 7')
    notices.show('grading', undefined)
    expect([notices.current(), changes]).toEqual([undefined, 5])
  })

  it('of the server cover no other, and are shown afterwards', () => {
    const notices = createNotices(() => undefined)
    notices.show('grading', 'grading: 1 of 7')
    notices.show(lowest, 'it ends soon')
    expect(notices.current()).toBe('grading: 1 of 7')
    notices.show('grading', undefined)
    expect(notices.current()).toBe('it ends soon')
    notices.close()
  })

  it('end by themselves, each in its own time', async () => {
    const notices = createNotices(() => undefined)
    notices.show('long', 'long')
    notices.show('short', 'short', 5)
    expect(notices.current()).toBe('short')
    await expect.poll(() => notices.current()).toBe('long')
    notices.close()
    expect(notices.current()).toBeUndefined()
  })
})
