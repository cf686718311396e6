import { expect, it } from 'vitest'
import { z } from 'zod'
import { anyRecord } from './any-record.ts'

const numbers = anyRecord(z.number())
const text = '{"__proto__":1,"constructor":2,"=":3,"":4,"a":5}'

it('keeps every key, again and again', () => {
  const found = numbers.parse(JSON.parse(text))
  expect(JSON.stringify(found)).toBe(text)
  expect(Object.entries(numbers.parse(found))).toEqual(Object.entries(JSON.parse(text)))
})

it('holds nothing but its keys', () => {
  const none = numbers.parse({})
  expect([none.constructor, none.toString, Object.keys(none)]).toEqual([undefined, undefined, []])
})

it.each(['[]', '[1]', 'null', '"a"', '{"a":"1"}', '{"__proto__":"1"}'])('does not take %s', (wrong) => {
  expect(numbers.safeParse(JSON.parse(wrong)).success).toBe(false)
})

it('must be there', () => {
  expect(z.object({ numbers }).safeParse({}).success).toBe(false)
})
