// For operators: all sandboxes, and what the capacity is made of.

import { CapacityDetail, SandboxOverview, SandboxOverviewList } from '../../contract/operator.ts'
import { SandboxParams } from '../../contract/sandbox.ts'
import type { Routes } from '../app.ts'
import { operatorOf } from '../authentication.ts'
import { operation } from '../operation.ts'

export const routes: Routes = (app, { overview }) => {
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
      description: 'Removes it and everything in it, whoever has it. 403 unless you are an operator.',
      rate: 'write',
      errors: ['forbidden', 'not_found'],
      recover: 'again',
    },
    { params: SandboxParams, response: { 200: SandboxOverview } },
  )
  app.delete('/operator/sandboxes/:sandboxId', end, async (request) => {
    operatorOf(request)
    return overview.end(request.params.sandboxId)
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
}
