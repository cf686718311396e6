// What a caller may have: how many sandboxes, for how long, which courses, and whether a start costs a credit. A plan decides it, which
// belongs to the caller and not to the installation; where no plans are sold and none are required, everybody has the same.

import type { Caller } from '../../accounts/caller.ts'
import type { Limits } from '../../configured-limits.ts'

export interface Privileges {
  /** How many sandboxes at once. */
  readonly sandboxes: number
  readonly longestMinutes: number
  /** Courses of plans, and large clusters. `for_sale`: a plan would allow it. */
  readonly proCourses: 'allowed' | 'for_sale'
  readonly largeClusters: 'allowed' | 'for_sale' | 'refused'
  /** Whether a start takes a credit from the account. */
  readonly startCostsCredit: boolean
}

export interface PrivilegesDeps {
  readonly limits: Pick<Limits, 'accountSandboxes' | 'proSandboxes' | 'anonymousSandboxes' | 'longestMinutes' | 'proLongestMinutes'>
  /** Whether the account has a plan now. */
  readonly hasPlan: (accountId: string) => Promise<boolean>
  /** Whether plans can be bought here. */
  readonly sellsPlans: boolean
  /** Whether every start needs a plan or a credit. */
  readonly requiresPlan: boolean
}

export const createPrivileges = ({ limits, hasPlan, sellsPlans, requiresPlan }: PrivilegesDeps) => {
  const usual: Privileges = {
    sandboxes: limits.accountSandboxes,
    longestMinutes: limits.longestMinutes,
    proCourses: sellsPlans ? 'for_sale' : 'allowed',
    largeClusters: sellsPlans ? 'for_sale' : 'refused',
    startCostsCredit: requiresPlan,
  }
  const anonymous: Privileges = { ...usual, sandboxes: limits.anonymousSandboxes }
  const operator: Privileges = { ...usual, proCourses: 'allowed', largeClusters: 'allowed', startCostsCredit: false }
  const withPlan: Privileges = {
    sandboxes: Math.max(limits.accountSandboxes, limits.proSandboxes),
    longestMinutes: Math.max(limits.longestMinutes, limits.proLongestMinutes),
    proCourses: 'allowed',
    largeClusters: 'allowed',
    startCostsCredit: false,
  }
  const mayHavePlan = sellsPlans || requiresPlan

  return async (caller: Caller): Promise<Privileges> => {
    if (caller.kind === 'anonymous') return anonymous
    if (mayHavePlan && (await hasPlan(caller.accountId))) return withPlan
    return caller.role === 'operator' ? operator : usual
  }
}

export type PrivilegesOf = ReturnType<typeof createPrivileges>
