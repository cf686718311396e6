import { describe, expect, it } from 'vitest'
import { shortened } from './shortened-output.ts'

const bounds = { outputBytes: 10, tailBytes: 4 }
/** As the engine keeps it. */
const captured = (whole: Buffer) => (whole.length <= 10 ? whole : Buffer.concat([whole.subarray(0, 6), whole.subarray(whole.length - 4)]))
const shortenedText = (text: string) => {
  const whole = Buffer.from(text)
  return shortened(captured(whole), whole.length, bounds).toString()
}

describe('an output', () => {
  it.each(['', 'short', '0123456789'])('that fits stays as it is: %j', (text) => {
    expect(shortenedText(text)).toBe(text)
  })

  it('that is longer keeps its beginning and its end, and says which bytes are missing', () => {
    expect(shortenedText('0123456789x')).toBe('012345\n[... 1 bytes left out: 6 to 7 of 11 ...]\n789x')
    expect(shortenedText(`start ${'.'.repeat(1_000)} end`)).toBe('start \n[... 1000 bytes left out: 6 to 1006 of 1010 ...]\n end')
  })

  it('is cut between characters', () => {
    expect(shortenedText('äöüäöüäöüäöü')).toBe('äöü\n[... 14 bytes left out: 6 to 20 of 24 ...]\nöü')
    expect(shortenedText(`x${'ä'.repeat(10)}`)).toBe('xää\n[... 12 bytes left out: 5 to 17 of 21 ...]\nää')
    expect(shortenedText(`${'⛴'.repeat(9)}x`)).toBe('⛴⛴\n[... 18 bytes left out: 6 to 24 of 28 ...]\n⛴x')
    expect(shortenedText('⛴'.repeat(9))).toBe('⛴⛴\n[... 18 bytes left out: 6 to 24 of 27 ...]\n⛴')
  })

  it('that is no text loses no more than what was left out', () => {
    const bytes = Buffer.alloc(50, 0x80)
    const cut = shortened(captured(bytes), bytes.length, bounds)
    expect(cut.subarray(0, 6)).toEqual(bytes.subarray(0, 6))
    expect(cut.subarray(-4)).toEqual(bytes.subarray(0, 4))
    expect(cut.toString('latin1')).toContain('[... 40 bytes left out: 6 to 46 of 50 ...]')
  })

  it('without an end is the beginning alone', () => {
    const kept = Buffer.from('0123456789')
    expect(shortened(kept, 1_000, { outputBytes: 10, tailBytes: 0 })).toEqual(kept)
  })
})
