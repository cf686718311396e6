// The capacity of the installation.

import { z } from 'zod'
import { Capacity } from '../../contract/capacity.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { capacity }) => {
  const read = operation(
    {
      id: 'readCapacity',
      tag: 'Service',
      summary: 'Get the capacity',
      description: 'How many sandboxes can be started now. Check it before you start many.',
      access: 'public',
    },
    { querystring: z.strictObject({}), response: { 200: Capacity } },
  )
  app.get('/labs/capacity', read, () => capacity())
}
