// The glossary.

import { GlossaryList, GlossaryQuery } from '../../contract/glossary.ts'
import type { Routes } from '../app.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { pages }, cache) => {
  const list = operation(
    { id: 'listGlossary', tag: 'Catalog', summary: 'Look up terms', description: 'In the order of their slugs.', access: 'public' },
    { querystring: GlossaryQuery, response: { 200: GlossaryList } },
  )
  app.get('/glossary', { ...list, ...cache.hooks }, async (request) => pages.glossary(request.query))
}
