// The health check, and the status document.

import { z } from 'zod'
import { Health } from '../../contract/health.ts'
import { ServiceStatus } from '../../contract/status.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { health, status }) => {
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

  const describe = operation(
    {
      id: 'readStatus',
      tag: 'Service',
      summary: 'See how the service stands',
      description: 'What it has last checked of itself, and how long the latest starts took. For room and queue see `GET /labs/capacity`.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: ServiceStatus } },
  )
  app.get('/status', describe, () => status.read())
}
