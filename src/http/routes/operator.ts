// For operators: all sandboxes, what the capacity is made of, and what is wrong with the catalog.

import { CapacityDetail, CatalogReport, EndSandboxRequest, SandboxOverview, SandboxOverviewList } from '../../contract/operator.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import type { Routes } from '../app.ts'
import { operatorOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { overview, catalogReport }) => {
  const about = { tag: 'Operation', access: 'account' } as const

  const list = operation(
    {
      ...about,
      id: 'listAllSandboxes',
      summary: 'List all sandboxes',
      description:
        'Those of everybody that have not ended, oldest first, with the warm pool. Without session ids. 403 unless you are an operator.',
      errors: ['forbidden'],
    },
    { response: { 200: SandboxOverviewList } },
  )
  app.get('/operator/sandboxes', list, async (request) => {
    operatorOf(request)
    return { items: await overview.list() }
  })

  const end = operation(
    {
      ...about,
      id: 'endAnySandbox',
      summary: 'End any sandbox',
      description:
        'Removes it and everything in it, whoever has it. Whoever is in the lab is told that the operator has ended it, and the `reason`, ' +
        'if there is one. 403 unless you are an operator.',
      rate: 'write',
      errors: ['forbidden', 'not_found'],
      recover: 'again',
    },
    { params: SandboxParams, body: EndSandboxRequest, response: { 200: SandboxOverview } },
  )
  app.delete('/operator/sandboxes/:sandboxId', end, async (request) => {
    operatorOf(request)
    return overview.end(request.params.sandboxId, request.body?.reason)
  })

  const capacity = operation(
    {
      ...about,
      id: 'readCapacityDetail',
      summary: 'See what takes the capacity',
      description: 'By status, account and server. 403 unless you are an operator.',
      errors: ['forbidden'],
    },
    { response: { 200: CapacityDetail } },
  )
  app.get('/operator/capacity', capacity, async (request) => {
    operatorOf(request)
    return overview.capacity()
  })

  const catalog = operation(
    {
      ...about,
      id: 'readCatalogReport',
      summary: 'See problems of the catalog',
      description: 'Courses that could not be loaded, were never proven, or have changed since. 403 unless you are an operator.',
      errors: ['forbidden'],
    },
    { response: { 200: CatalogReport } },
  )
  app.get('/operator/catalog', catalog, async (request) => {
    operatorOf(request)
    return catalogReport
  })
}
