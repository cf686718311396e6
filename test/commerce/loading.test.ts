// A server that sells nothing, or plays the provider itself, does not load the library of Stripe.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../src/run-program.ts'
import { root } from '../support/engine.ts'

const program = (payments: string) => `
  import { registerHooks } from 'node:module'
  const asked = []
  registerHooks({ resolve: (name, context, next) => { asked.push(name); return next(name, context) } })
  const { createPaymentProvider } = await import('${join(root, 'src/commerce/providers/providers.ts')}')
  const settings = { host: '127.0.0.1', stripeSecretKey: 'sk_test_0123456789', stripeWebhookSecrets: ['whsec_0123456789'] }
  const { provider } = await createPaymentProvider({ ...settings, stripeApiUrl: 'http://127.0.0.1:9', payments: '${payments}' }, { secret: 'x' })
  console.log(provider?.name ?? 'none', asked.includes('stripe'))
`

it.each([
  ['off', 'none false'],
  ['local', 'local false'],
  ['stripe', 'stripe true'],
])('payments %s: %s', async (payments, expected) => {
  const printed = await run(process.execPath, ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', program(payments)])
  expect(printed.trim()).toBe(expected)
})
