import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCast } from '../../../test/support/asciicast.ts'
import { castHeader, commandText, createCastWriter, longestLine, readCastEnd, readCastStart } from './asciicast.ts'

const startedAt = new Date('2026-11-15T10:00:00.500Z')
const header = castHeader({ columns: 80, rows: 24, startedAt, title: 'ops' })

describe('a cast', () => {
  it('is valid line by line, keeps every character wherever it was cut, and never goes back in time', () => {
    const chunkSizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
    const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), chunkSizes, times, (text, sizes, seconds) => {
        let asked = 0
        const writer = createCastWriter(() => seconds[asked++ % seconds.length] as number)
        const bytes = Buffer.from(text)
        const lines = [header]
        for (let from = 0, chunk = 0; from < bytes.length; chunk += 1) {
          const size = sizes[chunk % sizes.length] as number
          lines.push(...writer.output(bytes.subarray(from, from + size)), writer.resize(80 + chunk, 24))
          from += size
        }
        lines.push(...writer.end())
        const cast = parseCast(lines.join(''))
        expect(cast.output()).toBe(text.toWellFormed())
      }),
    )
  })

  it('is valid whatever bytes there are', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
        const writer = createCastWriter(() => 1)
        const lines = chunks.flatMap((chunk) => writer.output(Buffer.from(chunk)))
        parseCast([header, ...lines, ...writer.end()].join(''))
      }),
    )
  })

  it('has short lines, also of long output, and breaks no character for it', () => {
    const writer = createCastWriter(() => 2)
    const text = `x${'\u0001🛳'.repeat(20_000)}`
    const lines = writer.output(Buffer.from(text))
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(longestLine)
    expect(parseCast(header + lines.join('')).output()).toBe(text)
  })

  it('has what a marker leads to at the time of the marker, however the clock goes', () => {
    let clock = 0
    const writer = createCastWriter(() => clock++)
    const lines = [...writer.marked('one', 'x'.repeat(10_000)), ...writer.marked('two', 'y')]
    const times = parseCast(header + lines.join('')).events.map(([at, code]) => `${code} ${at}`)
    expect([...new Set(times)]).toEqual(['m 0', 'o 0', 'm 1', 'o 1'])
  })

  it('tells its beginning and its end', () => {
    expect(readCastStart(header)).toEqual(new Date('2026-11-15T10:00:00.000Z'))
    expect(readCastStart('[1, "o", "x"]')).toBeNull()
    const writer = createCastWriter(() => 3.25, 7)
    expect(readCastEnd(writer.text('x')[0] as string)).toEqual({ seconds: 7, truncated: false })
    expect(readCastEnd(writer.truncated('full').at(-1) as string)).toEqual({ seconds: 7, truncated: true })
    for (const line of ['', 'x', '{}', '[', '["o"]', header]) expect(readCastEnd(line)).toBeNull()
  })
})

describe('a command in a cast', () => {
  const result = { stdout: Buffer.from('one\ntwo'), stderr: Buffer.from(''), exitCode: 0, timedOut: false }
  it('has a prompt, its output as a terminal shows it, and its exit code where that says something', () => {
    expect(commandText('web', 'ls', result)).toBe('root@web# ls\r\none\r\ntwo\r\n')
    expect(commandText('web', 'false', { ...result, stdout: Buffer.alloc(0), exitCode: 1 })).toBe('root@web# false\r\n[exit code 1]\r\n')
    expect(commandText('web', 'a\nb', { ...result, stderr: Buffer.from('!\r\n'), exitCode: null, timedOut: true })).toBe(
      'root@web# a\r\nb\r\none\r\ntwo!\r\n[killed: timed out]\r\n',
    )
  })
})
