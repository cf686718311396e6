// A process of its own that receives payment events, to be killed in the middle of them. Its arguments: the database as JSON, and the
// secret of the events. Each message has an event and its headers; the answer is the id of the event.

import { openStore } from '../../src/store/store.ts'
import { createShop, createTestClock, receive } from './commerce.ts'
import { createTestProvider } from './payment-provider.ts'

interface Message {
  readonly id: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const [database = '', secret = ''] = process.argv.slice(2)
const clock = createTestClock()
const store = await openStore({ ...(JSON.parse(database) as { databaseUrl: string | undefined; file: string }), now: clock.now() })
const shop = createShop(store, { clock, provider: createTestProvider(clock.now, { secret }).provider })

process.on('message', ({ id, body, headers }: Message) => {
  receive(shop, 'local', Buffer.from(body), headers).then(
    () => process.send?.({ id }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  )
})
process.send?.({ ready: true })
