// The plans that can be bought.

import { z } from 'zod'
import { PlanList } from '../../contract/offers.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { commerce }) => {
  const list = operation(
    {
      id: 'listPlans',
      tag: 'Service',
      summary: 'List plans',
      description: 'All that can be bought, and how many of each are left. Empty where `payments` of the settings is `off`.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: PlanList } },
  )
  app.get('/plans', list, async () => ({ items: await commerce.offered() }))
}
