// Decides whether a caller may start a course at all, before limits, credits and capacity are checked.

import type { Caller } from '../../accounts/caller.ts'
import type { Course } from '../../contract/course.ts'
import type { SandboxStartRequest } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'
import type { Privileges } from './privileges.ts'

const isOperator = (caller: Caller) => caller.kind === 'account' && caller.role === 'operator'

export const planRequired = (
  message: string,
  hint = 'buy a plan or credits at /pricing of this service, or create a checkout session (POST /checkout_sessions) for a person to pay',
): LabError => new LabError('plan_required', message, { hint })

export type Allowed = Pick<Privileges, 'proCourses' | 'largeClusters' | 'startCostsCredit'>

/** Throws course_not_startable, account_required, plan_required or forbidden. */
export const requireEligible = (
  caller: Caller,
  { proCourses, largeClusters, startCostsCredit }: Allowed,
  course: Pick<Course, 'id' | 'kind' | 'access' | 'cluster' | 'requires_account'>,
  request: SandboxStartRequest,
): void => {
  if (course.kind === 'track') {
    throw new LabError('course_not_startable', `${course.id} is a track and has no sandbox of its own`, {
      hint: 'start one of the courses that it lists',
    })
  }
  if (course.requires_account && caller.kind !== 'account') {
    throw new LabError(
      'account_required',
      `${course.id} gives its machines extra Linux capabilities, which anonymous callers may not have`,
      {
        hint: 'use a personal access token, or choose a course with requires_account: false',
      },
    )
  }
  if (startCostsCredit && caller.kind === 'anonymous') {
    throw planRequired('a start needs a plan or a credit here', 'use a personal access token of an account that has one')
  }
  if (course.access === 'pro' && proCourses !== 'allowed') throw planRequired(`${course.id} needs a plan`)
  if (course.cluster === 'large' && largeClusters === 'for_sale') throw planRequired(`${course.id} is a large cluster, which needs a plan`)
  if (course.cluster === 'large' && largeClusters !== 'allowed') {
    throw new LabError('forbidden', `${course.id} is a large cluster, which your account may not start`, {
      hint: 'ask the operator, or choose a standard course',
    })
  }
  if (request.seed !== undefined && !isOperator(caller)) {
    throw new LabError('forbidden', 'seed: only operators may choose one', {
      hint: 'leave it out',
      details: { fields: [{ field: 'seed', problem: 'only operators may choose one' }] },
    })
  }
}
