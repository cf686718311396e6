// Recordings as they are, broken, cut off and hostile.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCast } from './cast.ts'

const header = '{"version":2,"width":80,"height":24,"timestamp":1700000000}'
const lines = (...all: readonly string[]) => `${all.join('\n')}\n`

describe('a recording', () => {
  it('is read with its sizes, its markers and its end', () => {
    const cast = readCast(lines(header, '[0.5,"o","a"]', '[1,"r","100x30"]', '[2,"m","root@web# ls"]', '[2.5,"o","b"]'))
    expect(cast).toMatchObject({ columns: 80, rows: 24, seconds: 2.5, problem: null })
    expect(cast?.events.map(({ kind, text }) => [kind, text])).toEqual([
      ['output', 'a'],
      ['resize', '100x30'],
      ['marker', 'root@web# ls'],
      ['output', 'b'],
    ])
  })

  it('says that more happened than was recorded', () => {
    expect(readCast(lines(header, '[1,"o","x"]', '[1,"m","truncated"]'))?.problem).toMatch(/more happened/i)
  })

  it.each([
    ['a line that is cut off', '[2,"o","ha'],
    ['time that goes back', '[0.5,"o","x"]'],
    ['time without end', '[1e300,"o","x"]'],
    ['an unknown event', '[2,"constructor","x"]'],
    ['a size that is none', '[2,"r","-1x5"]'],
    ['something else', '{"a":1}'],
  ])('is shown up to %s', (_what, line) => {
    const cast = readCast(lines(header, '[1,"o","x"]', line, '[3,"o","y"]'))
    expect(cast?.events).toHaveLength(1)
    expect(cast?.problem).toContain('line 3')
  })

  it('is none without a header, and never larger than a screen can be', () => {
    for (const text of ['', 'x', '{}', '[1,"o","x"]', '{"version":1,"width":1,"height":1}', '{"version":2,"width":0,"height":1}']) {
      expect(readCast(text)).toBeNull()
    }
    expect(readCast('{"version":2,"width":99999999,"height":99999999}')).toMatchObject({ columns: 500, rows: 200, events: [] })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void readCast(`${header}\n${text}`)))
    fc.assert(fc.property(fc.json(), (text) => void readCast(lines(text, text))))
  })
})
