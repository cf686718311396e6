import { describe, expect, it } from 'vitest'
import { counted, domainName, duration, exactDuration, minutesUntil, sentence } from './words.ts'

describe('words', () => {
  it('name domains, also those that are not known', () => {
    expect(domainName('linux-kernel')).toBe('Linux kernel')
    expect(domainName('toString')).toBe('ToString')
    expect(domainName('<b>')).toBe('<b>')
  })

  it('count', () => {
    expect([counted(1, 'hint'), counted(0, 'hint'), counted(2, 'entry', 'entries')]).toEqual(['1 hint', '0 hints', '2 entries'])
  })

  it.each([
    [0, '1 second'],
    [59, '59 seconds'],
    [61, '1 minute'],
    [1800, '30 minutes'],
    [3900, '1 hour 5 min'],
  ])('tell %i seconds', (seconds, text) => {
    expect(duration(seconds)).toBe(text)
  })

  it('tell hours, minutes and seconds exactly', () => {
    expect([0, 59, 61, 3661, 7200].map(exactDuration)).toEqual(['0 s', '59 s', '1 min 1 s', '1 h 1 min 1 s', '2 h'])
  })

  it('tell what is left, and never less than nothing', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(minutesUntil('2026-01-01T00:31:01Z', now)).toBe(32)
    expect(minutesUntil('2025-01-01T00:00:00Z', now)).toBe(0)
  })

  it('make sentences of messages', () => {
    expect(sentence('the server does not answer')).toBe('The server does not answer.')
    expect(sentence('Did you mean this?')).toBe('Did you mean this?')
  })
})
