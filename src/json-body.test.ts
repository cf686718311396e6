import { describe, expect, it } from 'vitest'
import { mostMembers, parseJson } from './json-body.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a body', () => {
  it('is JSON, as it is', () => {
    expect(parse(' {"a": [1, "\\"[[[", null]} ')).toEqual({ a: [1, '"[[[', null] })
    expect(parse('"ü"')).toBe('ü')
  })

  it('may be nested 32 levels and no more; brackets in texts do not count', () => {
    expect(() => parse(nested(32))).not.toThrow()
    expect(() => parse(nested(33))).toThrow('nested')
    expect(() => parse(`"${'['.repeat(1000)}\\""`)).not.toThrow()
    expect(() => parse('['.repeat(500_000))).toThrow('nested')
    expect(() => parse('{"a":'.repeat(100_000))).toThrow('nested')
  })

  it.each([
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
    ['a lone half of a pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'UTF-8'],
    ['a byte-order mark and an object', Buffer.from('\ufeff{}'), 'byte-order mark'],
    ['white space', Buffer.from(' \n'), 'empty'],
    ['words', Buffer.from('hello'), 'not valid JSON'],
    ['too little', Buffer.from('{"a":'), 'not valid JSON'],
    ['too much', Buffer.from('{} {}'), 'not valid JSON'],
  ])('of %s is refused', (_name, bytes, why) => {
    expect(() => parseJson(bytes)).toThrow(expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(why) }))
  })

  it('has a bounded number of members, which are counted before they are built; commas in texts do not count', () => {
    expect(() => parse(JSON.stringify(Array(mostMembers).fill(0)))).not.toThrow()
    expect(() => parse(JSON.stringify(Array(mostMembers + 1).fill(0)))).toThrow('more than')
    expect(() => parse(`[${'{},'.repeat(mostMembers / 2)}{}]`)).toThrow('more than')
    expect(() => parse(`{${'"a":0,'.repeat(mostMembers)}`)).toThrow('more than')
    expect(() => parse(`"${','.repeat(100_000)}"`)).not.toThrow()
    expect(() => parseJson(Buffer.from('[1,2,3]'), 2)).toThrow('more than 2')
  })

  it.each([
    ['a text', '"\\ud800"', 'body'],
    ['a field', '{"command": "echo \\uDFFF"}', 'command'],
    ['a field of an element', '{"requests": [{}, {"body": {"command": "\\udc00\\ud800"}}]}', 'requests.1.body.command'],
    ['a name', '{"a": {"\\ud83d": 1}}', 'a'],
  ])('with half a character in %s is refused, and the field is named', (_where, text, field) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { fields: [{ field, problem: 'is not valid Unicode' }] } }),
    )
  })

  it('may have whole characters as escapes, and texts that look like one', () => {
    expect(parse('["\\ud83d\\ude00", "\\\\ud800", "\\u00fc"]')).toEqual(['😀', '\\ud800', 'ü'])
  })

  it('cannot reach a prototype', () => {
    const value = parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
