// The payment providers by one contract: Stripe on a local server that speaks its API, the local one on SQLite and PostgreSQL.

import { systemClock } from '../../src/clock.ts'
import { createLocalProvider, localSigningSecret } from '../../src/commerce/providers/local.ts'
import { signatureHeader } from '../../src/commerce/providers/local-delivery.ts'
import { createStripeProvider } from '../../src/commerce/providers/stripe.ts'
import { signBody } from '../../src/commerce/providers/webhook-signature.ts'
import { createLog } from '../../src/log.ts'
import { openStore } from '../../src/store/store.ts'
import { usePostgres, useSqlite } from '../support/store.ts'
import { secretKey, startStripeServer, webhookSecret } from '../support/stripe-server.ts'
import { startWebhookEndpoint, type WebhookEndpoint } from '../support/webhook-endpoint.ts'
import { describeProvider, type ProviderUnderTest } from './provider.contract.ts'

const log = createLog('silent')
const clock = systemClock

/** What came to the endpoint since the last call. */
const newArrivals = (endpoint: WebhookEndpoint) => () => endpoint.received.splice(0)

describeProvider('Stripe', async (): Promise<ProviderUnderTest> => {
  const [server, endpoint] = [await startStripeServer(), await startWebhookEndpoint()]
  server.otherBusiness()
  const provider = createStripeProvider({ apiUrl: server.url, secretKey, webhookSecrets: [webhookSecret], clock, log })
  const arrivals = newArrivals(endpoint)
  const disputes = new Map<string, string>()
  const subscriptionOf = (reference: string) => server.tables.sessions.get(reference)?.subscription as string
  return {
    provider,
    act: {
      pay: async (reference) => server.pay(reference),
      decline: async (reference) => {
        server.pay(reference, { isDelayed: true })
        server.conclude(reference, false)
      },
      renew: async (reference) => server.renew(subscriptionOf(reference)),
      failRenewal: async (reference) => server.failRenewal(subscriptionOf(reference)),
      endSubscription: async (reference) => server.endSubscription(subscriptionOf(reference)),
      refund: async (_reference, payment, amount) => server.refund(payment, amount),
      openDispute: async (_reference, payment) => disputes.set(payment, server.openDispute(payment)),
      closeDispute: async (_reference, payment, outcome) => server.closeDispute(disputes.get(payment) ?? '', outcome),
    },
    arrived: async () => {
      await server.deliver(`${endpoint.url}/webhooks/stripe`, server.events.splice(0))
      return arrivals()
    },
    sign: (body, at) => ({ 'stripe-signature': signBody(body, webhookSecret, at) }),
    close: async () => {
      await Promise.all([server.close(), endpoint.close()])
    },
  }
})

const newSqlite = useSqlite()
const { newPostgres } = usePostgres()

for (const [name, newDatabase] of [
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
] as const) {
  describeProvider(`the local provider on ${name}`, async (): Promise<ProviderUnderTest> => {
    const [store, endpoint] = [await openStore({ ...(await newDatabase()), now: clock.now() }), await startWebhookEndpoint()]
    const secret = 'a secret of the installation, long enough'
    const rootUrl = () => 'http://localhost:8080'
    const local = createLocalProvider({ store: store.localPayments, secret, rootUrl, localUrl: () => endpoint.url, clock, log })
    const arrivals = newArrivals(endpoint)
    const { pages, provider } = local
    return {
      provider,
      act: { ...pages, closeDispute: (reference, payment, outcome) => pages.closeDispute(reference, outcome, payment) },
      arrived: async () => {
        await local.settle()
        return arrivals()
      },
      sign: (body, at) => ({ [signatureHeader]: signBody(body, localSigningSecret(secret), at) }),
      close: async () => {
        await local.stop()
        await Promise.all([store.close(), endpoint.close()])
      },
    }
  })
}
