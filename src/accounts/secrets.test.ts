import { expect, it } from 'vitest'
import { createSecret, hashSecret, isSecret } from './secrets.ts'

it('a secret has 256 bits and does not repeat', () => {
  const secrets = Array.from({ length: 500 }, createSecret)
  expect(new Set(secrets).size).toBe(secrets.length)
  expect(secrets.filter((secret) => !isSecret(secret) || Buffer.from(secret, 'base64url').length !== 32)).toEqual([])
})

it.each(['', 'x', `${'a'.repeat(43)}\n`, 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)};`])('%j is no secret', (text) => {
  expect(isSecret(text)).toBe(false)
})

it('the hash is SHA-256 of the whole secret, in hex', () => {
  expect(hashSecret('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(hashSecret('a')).not.toBe(hashSecret('b'))
})
