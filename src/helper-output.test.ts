import { expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidOutput, readAnswer } from './helper-output.ts'

const schema = z.object({ free: z.number() })

it('believes an answer of the expected shape, and nothing else of it', () => {
  expect(readAnswer(schema, '{"free": 3, "more": true}')).toEqual({ free: 3 })
})

it.each(['', 'null', '{"free": "3"}', '{"free": 1e999}', '[]', '{"free": 3'])('does not believe %s', (text) => {
  expect(() => readAnswer(schema, text)).toThrow(InvalidOutput)
})
