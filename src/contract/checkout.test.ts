import { describe, expect, it } from 'vitest'
import { CheckoutSessionRequest, CreditsCheckoutRequest } from './checkout.ts'

const takes = (success_url: string) => CheckoutSessionRequest.safeParse({ plan_id: 'pro_monthly', success_url }).success

describe('the addresses to go to afterwards', () => {
  it.each([
    'https://a.example',
    'https://a.example:8443/x?y=z#f',
    'http://localhost:3000/',
    'http://127.0.0.1',
    'http://[::1]:1/',
    'HTTPS://A.example',
  ])('%s is taken', (url) => {
    expect(takes(url)).toBe(true)
  })

  it.each([
    ...['', '/path', 'a.example', '//a.example', 'javascript:alert(1)', 'data:text/html,x', 'ftp://a.example', 'https://'],
    ...['http://a.example', 'http://localhost.a.example', 'http://127.0.0.1.a.example', 'http://0.0.0.0', 'http://[::2]'],
    ...[
      'https://user@a.example',
      'https://user:word@a.example',
      'https://localhost@a.example',
      ' https://a.example',
      'https://a.example/\r\nx: y',
    ],
    ...['https://a.example/\0', 'https://ä.example', `https://a.example/${'x'.repeat(2048)}`],
  ])('%j is refused', (url) => {
    expect(takes(url)).toBe(false)
  })

  it('unknown fields, and offers of no name, are refused', () => {
    expect(CheckoutSessionRequest.safeParse({ plan_id: 'pro_monthly', amount: 0 }).success).toBe(false)
    expect(CheckoutSessionRequest.safeParse({ pack_id: 'credits_10' }).success).toBe(false)
    expect(CheckoutSessionRequest.safeParse({ plan_id: 'x'.repeat(65) }).success).toBe(false)
    expect(CreditsCheckoutRequest.safeParse({ pack_id: 'credits_10' }).success).toBe(true)
    expect(CreditsCheckoutRequest.safeParse({ pack_id: 'Credits 10' }).success).toBe(false)
  })
})
