import { expect, it } from 'vitest'
import { drawParams, secretsOf, undecidedSecrets } from './params.ts'

const params = {
  port: { int: [8000, 8999] as [number, number] },
  app_password: { word: 20, secret: true },
  token: { hex: 6, secret: false },
  pw_one: { word: 16 },
}

it('names the secrets, with what they were drawn as', () => {
  const drawn = drawParams('one', params)
  expect(secretsOf(params, drawn)).toEqual([{ name: 'app_password', value: drawn.app_password }])
})

it('names those that are called like secrets and may be none', () => {
  expect(undecidedSecrets(params)).toEqual(['pw_one'])
})
