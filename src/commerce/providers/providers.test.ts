import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { requirePaymentSettings } from './providers.ts'

const check = (environment: Readonly<Record<string, string | undefined>>) => () => requirePaymentSettings(readConfig({}, environment))

describe('the local provider', () => {
  it.each([
    {},
    { LAB_HOST: 'localhost' },
    { LAB_HOST: '::1' },
    { LAB_HOST: '127.0.0.2', LAB_PUBLIC_URL: 'http://localhost:9', LAB_DIRECT_URL: 'http://127.0.0.1' },
  ])('may run on this machine: %o', (environment) => {
    expect(check({ ...environment, LAB_PAYMENTS: 'local' })).not.toThrow()
  })

  it.each([
    ['LAB_HOST', '0.0.0.0'],
    ['LAB_HOST', '::'],
    ['LAB_HOST', '192.168.1.4'],
    ['LAB_HOST', 'lab.example'],
    ['LAB_PUBLIC_URL', 'https://lab.example'],
    ['LAB_PUBLIC_URL', 'http://localhost.lab.example'],
    ['LAB_PUBLIC_URL', 'http://10.0.0.4'],
    ['LAB_DIRECT_URL', 'https://direct.lab.example'],
  ])('is refused beside %s=%s, in one line that names it', (name, value) => {
    expect(check({ [name]: value, LAB_PAYMENTS: 'local' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(new RegExp(`^invalid configuration: LAB_PAYMENTS: [^\n]*${name} would[^\n]*$`)),
      }),
    )
    expect(check({ [name]: value, LAB_PAYMENTS: 'off' })).not.toThrow()
  })

  it('is refused with all that would open it', () => {
    const open = { LAB_HOST: '0.0.0.0', LAB_PUBLIC_URL: 'https://lab.example', LAB_DIRECT_URL: 'https://two.example' }
    expect(check({ ...open, LAB_PAYMENTS: 'local' })).toThrow(/LAB_HOST and LAB_PUBLIC_URL and LAB_DIRECT_URL/)
  })
})

describe('Stripe', () => {
  const secrets = { LAB_STRIPE_SECRET_KEY: 'sk_test_0123456789', LAB_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' }

  it('needs both of its secrets, and names them without their values', () => {
    expect(check({ ...secrets, LAB_PAYMENTS: 'stripe', LAB_PUBLIC_URL: 'https://lab.example' })).not.toThrow()
    for (const name of Object.keys(secrets)) {
      const others = Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== name))
      expect(check({ ...others, LAB_PAYMENTS: 'stripe' })).toThrow(
        'invalid configuration: LAB_PAYMENTS: stripe needs LAB_STRIPE_SECRET_KEY and LAB_STRIPE_WEBHOOK_SECRET',
      )
    }
  })

  it('may be set up before it is switched on', () => {
    expect(check(secrets)).not.toThrow()
  })
})
