// The health check.

import { z } from 'zod'
import { Health } from '../../contract/health.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { health }) => {
  const read = operation(
    {
      id: 'readHealth',
      tag: 'Service',
      summary: 'Check the health of the service',
      description: 'Always 200; see `status`.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: Health } },
  )
  app.get('/health', read, () => health())
}
