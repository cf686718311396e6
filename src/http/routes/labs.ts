// Capacity.

import { z } from 'zod'
import { Capacity } from '../../contract/capacity.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { capacity }) => {
  const read = operation(
    {
      id: 'readCapacity',
      tag: 'Service',
      summary: 'See how much room there is',
      description: 'Look here before you start many sandboxes.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: Capacity } },
  )
  app.get('/labs/capacity', read, () => capacity())
}
