import { describe, expect, it } from 'vitest'
import { defaultReturnPath } from '../../contract/return-path.ts'
import { checkReturnTo } from './return-to.ts'

describe('return_to', () => {
  it.each(['/', '/docs', '/docs#createToken', '/labs/abc?tab=terminal&x=1', '/a%20b', '/a%2Fb'])('may be %s', (path) => {
    expect(checkReturnTo(path)).toBe(path)
  })

  it('is the reference when it is not given', () => {
    expect(checkReturnTo(undefined)).toBe(defaultReturnPath)
  })

  it.each([
    ['a host', 'https://evil.example/'],
    ['a host without a scheme', '//evil.example'],
    ['three slashes', '///evil.example'],
    ['a backslash', '/\\evil.example'],
    ['two backslashes', '\\\\evil.example'],
    ['a backslash later', '/docs\\..\\..\\evil'],
    ['an encoded slash', '/%2Fevil.example'],
    ['a slash that is encoded twice', '/%252Fevil.example'],
    ['a slash that is encoded three times', '/%25252Fevil.example'],
    ['an encoded backslash', '/%5Cevil.example'],
    ['a lower-case encoded backslash', '/%5cevil.example'],
    ['dots before two slashes', '/.//evil.example'],
    ['dots that leave two slashes', '/a/..//evil.example'],
    ['a tab between slashes', '/\t/evil.example'],
    ['an encoded tab between slashes', '/%09/evil.example'],
    ['a line break', '/docs\r\nLocation: https://evil.example'],
    ['an encoded line break', '/docs%0d%0aSet-Cookie:a=b'],
    ['a space in front', ' /docs'],
    ['a scheme', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a user', 'user@evil.example'],
    ['nothing', ''],
    ['no slash', 'docs'],
    ['letters beyond ASCII', '/dócs'],
    ['a broken escape', '/%zz'],
    ['a sign-in', '/api/v1/auth/github'],
    ['a sign-in in capitals', '/API/v1/auth/github?return_to=/docs'],
    ['the page of the sign-in', '/signin'],
    ['very much', `/${'a'.repeat(600)}`],
  ])('is refused with %s', (_what, path) => {
    expect(() => checkReturnTo(path)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
