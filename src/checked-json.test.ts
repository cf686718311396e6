import { expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidJson, parseCheckedJson } from './checked-json.ts'

const schema = z.object({ free: z.number() })

it('believes an answer of the expected shape, and nothing else of it', () => {
  expect(parseCheckedJson(schema, '{"free": 3, "more": true}')).toEqual({ free: 3 })
})

it.each(['', 'null', '{"free": "3"}', '{"free": 1e999}', '[]', '{"free": 3'])('does not believe %s', (text) => {
  expect(() => parseCheckedJson(schema, text)).toThrow(InvalidJson)
})
