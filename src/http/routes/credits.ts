// Credit packs.

import { z } from 'zod'
import { CreditPackList } from '../../contract/offers.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { content }, cache) => {
  const list = operation(
    {
      id: 'listCreditPacks',
      tag: 'Service',
      summary: 'List credit packs',
      description: 'All of them; amounts are in the smallest unit of the currency.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: CreditPackList } },
  )
  app.get('/credits/packs', { ...list, ...cache.hooks }, async () => ({ items: [...content.creditPacks] }))
}
