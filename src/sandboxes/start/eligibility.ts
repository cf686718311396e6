// Decides whether a caller may start a course at all, before limits and capacity are checked.

import type { Caller } from '../../accounts/caller.ts'
import type { Course } from '../../contract/course.ts'
import type { SandboxStartRequest } from '../../contract/sandbox.ts'
import { LabError } from '../../errors.ts'

const isOperator = (caller: Caller) => caller.kind === 'account' && caller.role === 'operator'

/** Throws course_not_startable, account_required or forbidden. */
export const requireEligible = (
  caller: Caller,
  course: Pick<Course, 'id' | 'kind' | 'cluster' | 'requires_account'>,
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
  if (course.cluster === 'large' && !isOperator(caller)) {
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
