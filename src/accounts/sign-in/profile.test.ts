import { expect, it } from 'vitest'
import { profileOf } from './profile.ts'

const given = {
  subject: '42',
  name: 'Ada',
  login: 'ada',
  email: 'ada@example.org',
  isEmailVerified: true,
  avatarUrl: 'https://a.example/1',
}

it('keeps what is known', () => {
  const { isEmailVerified: _, ...kept } = given
  expect(profileOf(given)).toEqual(kept)
})

it('an address that is not verified is none', () => {
  expect(profileOf({ ...given, isEmailVerified: false })?.email).toBeNull()
  expect(profileOf({ ...given, email: 'no address' })?.email).toBeNull()
})

it('the name is never empty', () => {
  expect(profileOf({ ...given, name: null })?.name).toBe('ada')
  expect(profileOf({ subject: '42', isEmailVerified: false })).toEqual({
    subject: '42',
    name: 'unnamed',
    login: null,
    email: null,
    avatarUrl: null,
  })
})

it('texts are bounded, and have no hidden characters', () => {
  const profile = profileOf({ ...given, name: `\u202eA\0d\u001ba${'x'.repeat(500)}`, login: ' \n ' })
  expect(profile?.name).toMatch(/^Adax{97}$/)
  expect(profile?.login).toBeNull()
})

it.each(['javascript:alert(1)', 'http://a.example/1', `https://a.example/${'x'.repeat(2000)}`, 'x'])('%s is no picture', (avatarUrl) => {
  expect(profileOf({ ...given, avatarUrl })?.avatarUrl).toBeNull()
})

it.each(['', 'a b', 'a\0', 'x'.repeat(256), 'é'])('%j is no subject', (subject) => {
  expect(profileOf({ ...given, subject })).toBeNull()
})
