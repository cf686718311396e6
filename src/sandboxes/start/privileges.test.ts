import { describe, expect, it } from 'vitest'
import type { Account } from '../../accounts/caller.ts'
import { createPrivileges } from './privileges.ts'

const limits = { accountSandboxes: 2, proSandboxes: 5, anonymousSandboxes: 1, longestMinutes: 120, proLongestMinutes: 240 }
const member = (accountId: string): Account => ({ kind: 'account', accountId, role: 'member' })
const operator: Account = { kind: 'account', accountId: 'operator', role: 'operator' }
const nobody = { kind: 'anonymous', address: '192.0.2.1' } as const

const privilegesWith = (more: { sellsPlans: boolean; requiresPlan: boolean }) => {
  const asked: string[] = []
  const of = createPrivileges({
    limits,
    hasPlan: async (id) => {
      asked.push(id)
      return id === 'pro'
    },
    ...more,
  })
  return { of, asked }
}

describe('privileges', () => {
  it('are the same for all accounts where no plans are sold, and no plan is looked up', async () => {
    const { of, asked } = privilegesWith({ sellsPlans: false, requiresPlan: false })
    const usual = { sandboxes: 2, longestMinutes: 120, proCourses: 'allowed', largeClusters: 'refused', startCostsCredit: false }
    expect(await of(member('pro'))).toEqual(usual)
    expect(await of(nobody)).toEqual({ ...usual, sandboxes: 1 })
    expect(await of(operator)).toEqual({ ...usual, largeClusters: 'allowed' })
    expect(asked).toEqual([])
  })

  it('follow the plan of the caller where plans are sold', async () => {
    const { of } = privilegesWith({ sellsPlans: true, requiresPlan: false })
    expect(await of(member('pro'))).toEqual({
      ...{ sandboxes: 5, longestMinutes: 240, proCourses: 'allowed', largeClusters: 'allowed', startCostsCredit: false },
    })
    expect(await of(member('other'))).toMatchObject({
      sandboxes: 2,
      longestMinutes: 120,
      proCourses: 'for_sale',
      largeClusters: 'for_sale',
    })
    expect(await of(nobody)).toMatchObject({ sandboxes: 1, proCourses: 'for_sale', largeClusters: 'for_sale', startCostsCredit: false })
    expect(await of(operator)).toMatchObject({ sandboxes: 2, proCourses: 'allowed', largeClusters: 'allowed' })
  })

  it('cost a credit for each start where a plan is required, except with one, and for the operator', async () => {
    const { of } = privilegesWith({ sellsPlans: true, requiresPlan: true })
    const costs = await Promise.all([member('pro'), member('other'), nobody, operator].map(async (who) => (await of(who)).startCostsCredit))
    expect(costs).toEqual([false, true, true, false])
  })

  it('never take away what everybody has', async () => {
    const generous = { ...limits, accountSandboxes: 9, longestMinutes: 999 }
    const of = createPrivileges({ limits: generous, hasPlan: async () => true, sellsPlans: true, requiresPlan: false })
    expect(await of(member('pro'))).toMatchObject({ sandboxes: 9, longestMinutes: 999 })
  })
})
